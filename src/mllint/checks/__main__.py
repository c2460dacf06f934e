"""`python -m mllint.checks` writes the table of the rules; run it after changing a rule's `@check(...)`."""

import os

from mllint.checks import table

TEXT = table()  # before the file is opened, for it is read to make it
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_table.py"), "w", encoding="utf-8") as file:
    file.write(TEXT)
