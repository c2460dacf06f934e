"""What is in `.grad`, and does a step apply it?

    state         what does this step find there: clean, filled, used; and because of what?
    accumulation  does the optimizer step every k-th micro-batch only, and does the loss allow for that?
    reused        are gradients that a step has applied used again, because nothing cleared them?
    closures      does a closure that a step calls several times clear the gradients of its earlier calls?
    clearing      does a training step that others call for each batch ever zero its gradients?
    stepping      which optimizer is zeroed, whose is a backward, and can a step be where the flow does not see it?
    computing     is a loss computed around a step, and what is only part of computing it?
    unapplied     are gradients zeroed in each iteration, or an optimizer built, and no step ever taken?
    unstepped     for which optimizer are gradients computed, and no step ever applies them?
    discarding    are gradients cleared for each micro-batch before the step that is to apply them?
    clipping      does any step use the gradients that a clip leaves?
    scaler_protocol  are the calls of a gradient scaler complete, and in the right order?
    precision     at which scale are the gradients, and who takes the scale out again?

Rules know `state` as `gradients`. Whether a backward reaches any parameter at all is asked in `graphs`, which
parameters an optimizer holds in `optimizers`.

May import: the floors below and the domains of `training`.
"""
