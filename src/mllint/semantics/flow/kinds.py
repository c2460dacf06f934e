"""The kinds of events by name, so that a rule reads like the question it asks.

The line below each says when there is one; `python -m mllint.dev tables` writes them into `docs/writing-a-rule.md`.
"""

from mllint.semantics.flow.flow import Kind

AccumulatesGrad = Kind("accumulates_grad")
"""Gradients are computed and added: `loss.backward()`."""
AppliesGrad = Kind("applies_grad")
"""Parameters are updated from their gradients: `optimizer.step()`."""
ClearsGrad = Kind("clears_grad")
"""Gradients are set to None or zero."""
ClipsGrad = Kind("clips_grad")
"""Gradients are clipped in place."""
Creates = Kind("creates")
"""An object is built."""
Fits = Kind("fits")
"""The state of an estimator is learned from rows."""
Forward = Kind("forward")
"""A module is called."""
Freezes = Kind("freezes")
"""`requires_grad` of parameters is set."""
HandsLoss = Kind("hands_loss")
"""A loss is returned to a framework that runs backward on it."""
OwnsLoop = Kind("owns_loop")
"""A framework runs forward, backward and step itself."""
ReadsState = Kind("reads_state")
"""References to the live state are taken: `state_dict()`."""
RestoresState = Kind("restores_state")
"""State is loaded into an object: `load_state_dict(...)`."""
Saves = Kind("saves")
"""Something is written to disk."""
Seeds = Kind("seeds")
"""A global random stream is fixed."""
SetsGrad = Kind("sets_grad")
"""A gradient is written by hand: `p.grad = g`."""
SetsEpoch = Kind("sets_epoch")
"""A sampler is told which epoch it is."""
SetsMode = Kind("sets_mode")
"""A module is put into train or eval mode."""
Splits = Kind("splits")
"""It is decided which rows are trained on and which are held out."""
Ticks = Kind("ticks")
"""A learning-rate schedule advances by one."""
Transforms = Kind("transforms")
"""What was learned from rows is applied to rows."""
Unknown = Kind("unknown")
"""Something unknown is called with a tracked object, and may do anything."""
UnscalesGrad = Kind("unscales_grad")
"""Gradients are divided by the scale of the gradient scaler."""
UpdatesScale = Kind("updates_scale")
"""The scale of the gradient scaler is adjusted for the next step."""
