"""Where does an autograd graph begin and end, and who keeps it?

    breaks       where does the graph of a loss end, and which of its terms train nothing?
    break_kinds  what kind of operation ends it, and does `backward()` raise there?
    results      does the graph of what a model gives end in plain numbers?
    recording    is a graph recorded that is never used?
    terms        which term of a loss trains nothing that the step after it updates?
    collecting   where does something that lives longer than the loop grow on each iteration?
    kept_graphs  does it keep the graphs of these iterations?
    unrecorded   is what a backward starts from computed where no graph is recorded?

Rules know `breaks` as `graphs`.

May import: the floors below and the domains of `training`.
"""
