"""What is kept of a run, and does another run go on from it?

    resuming    does a run go on where an earlier one stopped, and by which calls does it read that run's state back?
    restoring   what is saved of a run, and what of it is read back?
    state_keys  may keys of a state be missing in a model, unseen?
    bests       does a run keep its best weights, or those of every epoch, or none?
    last_weights  is a model tested with its last weights, although the best ones were kept?
    snapshots   are weights kept without a copy, and used after more training?

Rules know `resuming` as `checkpoints`.

May import: the floors below and the domains of `training`.
"""
