"""How many injected bugs does mllint report? A benchmark of recall.

An operator (`operators/`) is a small edit of the text that turns correct training code into a real, silent bug, under a
precondition that is read from the syntax alone (`shapes.py`, `edits.py`). It is applied to each place of clean
programs (`units.py`); a mutant counts as found if the right rule reports it at the right place (`score.py`). The share
says nothing about bugs that no operator makes.
"""
