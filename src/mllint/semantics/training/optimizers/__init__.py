"""Which parameters does an optimizer hold, and do both live as long?

    constructions  where is an optimizer built, and of whose parameters?
    lifetimes      is it built again, and its state lost, while the model it is for lives on?
    replacements   is a part of its model replaced, after it was given the parameters of the old one?
    parameters     of which models does it hold parameters, and does the backward before its step reach them?
    unfreezing     is what is unfrozen trained by one of them from then on?
    parts          which parts of a model does it leave out, and are they fresh?
    mismatches     does it hold the parameters that the backward before its step computes gradients for?
    parameter_lists  are its parameters sorted into lists, one of which it never gets?

May import: the floors below and the domains of `training`.
"""
