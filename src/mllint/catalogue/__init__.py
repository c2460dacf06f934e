"""The catalogue: which rules are there, and what does the page of each say?

`pages` reads the Markdown pages and their metadata, `symptoms` finds rules by what somebody observes, `_table` is the
generated copy of the metadata that spares a run from reading the pages.

May import: `mllint.errors` and `mllint.diagnostic`. Does not: import a check; a test holds pages and checks together.
"""
