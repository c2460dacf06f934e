"""For those who change mllint: `python -m mllint.dev new-rule FAMILY/NAME`, `python -m mllint.dev tables`.

    scaffold    the page and the module of a new rule, and the next steps in words
    tables      everything that is generated from stubs, pages and rules, written anew

No command of users is here, and nothing else imports it.
"""

from mllint.dev.scaffold import new_rule
from mllint.dev.tables import write_tables

__all__ = ["new_rule", "write_tables"]
