"""Which rows are these, and are they the ones that are meant? What names, slices and splits say about them.

The domains of `semantics/training` that speak of rows: what is bound and never read (`unread`), bound to the wrong
part (`crossed`), built twice (`alike`), divided by a draw (`parting`), read by which loader (`loading`,
`data_modules`).

May import: the floors below and the domains of `training`. Does not: say what is wrong, which is for the rules.
"""
