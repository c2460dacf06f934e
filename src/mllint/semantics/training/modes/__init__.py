"""In which mode is a model when it runs, and who sets it?

    state              train, eval or unknown, where it runs
    dependence         does it behave differently in the two modes at all?
    functional_layers  does a functional layer ignore the mode of the module that calls it?
    switches           who sets a mode in a way that no event shows, or only seems to?
    overrides          does a class keep its children from the mode, or change it while it runs?
    woken              which parts does `train()` wake that were put into eval mode when the whole was built?
    mode_restoring     which mode does an evaluation, or a method, leave behind for what comes next?

Rules know `state` as `modes` and `dependence` as `mode_dependence`.

May import: the floors below and the domains of `training`.
"""
