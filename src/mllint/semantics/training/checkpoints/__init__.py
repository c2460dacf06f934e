"""What is kept of a run, and does another run go on from it?

    resuming          does a run go on where an earlier one stopped, and by which calls does it read that state back?
    stateful          which optimizers and schedules are built here, and have they a state that a resumed run needs?
    saving            what do the calls of `save` write, and what do they leave out?
    unrestored        which state does a run go on without?
    restoring         is the state of an optimizer or a schedule read back?
    averaged_weights  which averages of weights are saved nowhere?
    state_keys        may keys of a state be missing in a model, unseen?
    load_results      what becomes of what `load_state_dict` says about the keys?
    bests             does a run keep its best weights, or those of every epoch, or none?
    last_weights      is a model tested with its last weights, although the best ones were kept?
    snapshots         are weights kept without a copy, and used after more training?
    module_aliases    are two names for a model one module?

Rules know `resuming` as `checkpoints`.

May import: the floors below and the domains of `training`.
"""
