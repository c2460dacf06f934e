"""What does a program of machine learning do? The core: no file is opened here, and no setting is known.

Five floors, each of which may import those before it:

    syntax       what is written: scopes, bindings, the definitions that reach a name
    libraries    what others' code means, as stubs describe it
    values       what an expression is
    flow         what happens, in which order, and under which conditions
    training     what that means for a training program: roles, phases, modes, gradients, schedules, splits, seeds

`api` is what rules import, `vocabulary` what stubs import, and `testing` writes answers down for specifications. The
core never accuses anybody: it answers, with evidence, or says that it cannot tell.
"""
