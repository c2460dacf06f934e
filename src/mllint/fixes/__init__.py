"""Which change of the code ends this finding?

    finding         `dropout` is active in eval mode too            a rule found it, with the objects that it speaks of
    registry        @fix("dropout-ignores-mode")                    one function a rule, in the module of its family
    edits, concrete F.dropout(x, 0.5)  ->  F.dropout(x, 0.5, training=self.training)
    offers          the edits in the coordinates of the report; none that touches a line somebody accepted
    applying        bytes and edits -> bytes: encoding, line ends, byte order mark and all other cells as they were
    engine.mending  again and again, until nothing is left to fix; a fix that does not hold what it promises is undone

A fix is *safe* if the numbers stay the same: memory, warnings, or an order that was left to chance. One that changes
what is trained or measured is *unsafe*, however right it is: whoever compares with yesterday's run wants to know. The
page of the rule says which (`fix = "safe"`), and asserts the code before and after.

A function that cannot be sure raises `Unsure`, and nothing is offered: the finding says what to do.

LibCST is asked about one expression, or about the statements of one block, never about a file: a fix costs
milliseconds, a check without one does not import it, and the rest of the file is copied, not printed again. What only
puts text at a place needs no tree (`edits`).

May import: `mllint.rule`, `mllint.semantics.api`, `mllint.findings.suppressions`, sources, diagnostics. Rules know
nothing of fixes. What it does not do: read or write files, ask the rules again (see `engine.mending`).
"""

from mllint.fixes.registry import Proposal, Unsure, fix, fixes_of

__all__ = ["Proposal", "Unsure", "fix", "fixes_of"]
