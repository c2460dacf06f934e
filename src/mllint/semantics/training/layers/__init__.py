"""Which modules does a module consist of, and does PyTorch know them? What constructors build, and where they put it.

`registration` says whether an attribute is one that training finds, `registered` whether a list is registered in
another way, `built` and `putting` what is made and put where, `filled` and `pieces` what an expression can be by its
form.

May import: the floors below and the domains of `training`. Does not: say what is wrong, which is for the rules.
"""
