"""What the core answers, written down: `tests/semantics/*.md` compare with it.

    reveals  `reveal(x)`, the reveals of most domains, and the flow of a function as text
    held_out, losses, numbers, rows, tuning, updates  the reveals of the domains with these subjects

A reveal is a function of a call `reveal_...(x)` in a specification: it puts into words what a domain answers about the
first argument. `reveals.REVEALS` has all of them by name.

May import: all of `mllint.semantics`. Only tests import it.
"""
