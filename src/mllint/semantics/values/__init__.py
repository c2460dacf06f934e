"""What is this expression?

A `Value` is of one of a closed family of classes (`values`) and has traits, alternatives and the sites that made it so
(`value`); `evaluate` finds it in a `Frame`, which is one function in one calling context. Evaluation is lazy and
memoised, follows calls into the user's functions, and answers Unknown wherever nothing certain can be said. May import:
`syntax`, `libraries`. In which order things happen is a question for `flow`, which values never ask.
"""

from __future__ import annotations

from mllint.semantics.values import evaluate as evaluate  # it answers what `ask` is asked
