"""Which modules does a module consist of, and does PyTorch know them?

    registration  are layers where training can find them, and one instance for each place?
    containers    what does a class put into lists and dictionaries, and what becomes of it?
    registered    are modules that a container keeps registered in another way?
    filled        can an expression be a container of modules that was filled here, by its form alone?
    freezing      does an assignment of `requires_grad` reach parameters, or only an attribute that is never read?

May import: the floors below and the domains of `training`. Does not: say what is wrong, which is for the rules.
"""
