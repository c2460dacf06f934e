"""What are the few lines of a program that still show a finding?

    program   the files, as trees that are edited in place; their text
    oracle    does a program still show the finding? The analysis itself is asked
    edits     what may become smaller: statements, blocks, lists of arguments, expressions
    neutral   what may be called otherwise
    reduce    all of it, until nothing more can go or the time is over

This is delta debugging (Zeller and Hildebrandt 2002) in its hierarchical form (Misherghi and Su 2006): large pieces go
first, and what is left is divided. Reduced programs are written anew from their trees, so that comments and layout are
gone and every program parses.

What this package does not know is *why* a finding is wrong or right. Names that become unbound are not accepted, so
that a program stays complete, but a line that makes the code right is as superfluous to the finding as any other:
whoever reports a false alarm says which lines stay.
"""

from mllint.engine.reduce.reduce import Reduced, Wish, reduce

__all__ = ["Reduced", "Wish", "reduce"]
