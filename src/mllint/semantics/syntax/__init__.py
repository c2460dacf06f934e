"""What is written in a file?

One pass indexes the scopes, bindings, calls and classes of a `ModuleScope` (`index`, `module`); `names` says which
definitions reach a name. Nothing is evaluated here, and no library has a meaning yet. May import: nothing of the core.
"""
