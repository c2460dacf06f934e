"""The project on disk: which files are there, which belong together, and what has changed?

`discovery` walks folders, `ignore` reads `.gitignore`, `imports` groups files that import each other into components,
`changes` asks what differs from a commit, `git` runs git without running anything of the repository's, `overlay` lays
other contents over the disk (an editor's buffers, git's index).

May import: `config`, whose settings say what is excluded, and `mllint.errors`. Does not: parse, analyse or report.
"""
