"""What becomes of an error? Which statements a `try` protects, and what its handlers do.

`handlers` says whether a clause is without consequence, `protected` what its `try` does, `omitted` what is left out
when it fails, `finite` what a test for values that are not finite asks about, `masked` where such values are skipped or
replaced, `samples` what becomes of a sample that cannot be read.

May import: the floors below and the domains of `training`. Does not: say what is wrong, which is for the rules.
"""
