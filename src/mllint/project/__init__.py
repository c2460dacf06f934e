"""The project on disk: which files are there, which belong together, and what has changed?

`discovery` walks folders, `imports` groups files that import each other into components, `git` runs git safely, `changes` asks what differs from a
commit, `overlay` lays other contents over the disk (an editor's buffers, git's index).

May import: `config`, whose settings say what is excluded, and `mllint.errors`. Does not: parse, analyse or report.
"""
