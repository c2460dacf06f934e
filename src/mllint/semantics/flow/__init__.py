"""What happens, in which order, and under which conditions?

`build` walks a root function once and enters what it calls; what the vocabulary has a word for (`events`), and what
changes gradients by hand (`gradient_writes`), becomes an `Event` of a `Flow`. `Flow.path` asks for a way from one event
to another (`reaching`: is there one at all?), `searches` for all events that lead to one or concern it. `views` are the
subjects that rules are asked about.
May import: `syntax`, `libraries`, `values`. What an event means for a training program is a question for `training`.
"""
