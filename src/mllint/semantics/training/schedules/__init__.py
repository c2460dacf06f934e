"""What does a learning-rate schedule count, and who advances it when?

    units        epochs, batches or optimizer steps: read off what its horizon was computed from
    ticks        with every batch, once per epoch, with every optimizer step
    early_ticks  before the first step of the optimizer
    plateaus     which metric is one given that waits for a plateau?
    uses         is a schedule that was built ever advanced?

Rules know `units` as `schedules`.

May import: the floors below and the domains of `training`.
"""
