"""Settings: what did the project, and the command line, ask for?

`model` holds the settings, as a stack of layers, and how layers combine; `toml` reads one file, `schema` says which
keys there are and what each may hold, `selection` decides for each rule whether it runs, `dependencies` finds the
versions of libraries in lock files, which are the lowest layer, and `explain` says where a value comes from.

May import: `mllint.errors` and the catalogue's data. Does not: discover source files, import checks, or analyse.
"""
