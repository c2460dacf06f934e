"""Which modules does a module consist of, and does PyTorch know them?

    registration    has a value anything to train, or to switch?
    initialisation  is a module initialised before it is given its first layer?
    per_call        does a module build layers with weights each time that it runs?
    repeated        is one layer used for several places of a container?
    containers      what does a class put into lists and dictionaries, and what becomes of it?
    registered      are modules that a container keeps registered in another way?
    candidates      can an expression be a container of modules that was filled here, by its form alone?
    freezing        does an assignment of `requires_grad` reach parameters, or only an attribute that is never read?

May import: the floors below and the domains of `training`. Does not: say what is wrong, which is for the rules.
"""
