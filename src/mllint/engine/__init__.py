"""The engine: which rules are asked about which files, and what becomes of the answers?

`run` is one run over files and folders, `engine` asks the rules about one component, `jobs` shares components out to
processes, `stack` gives deep calls room, `cache` replays what is known, `changes` reports only what a change
introduced, `trace` puts the flow of one function into rows for a reader.

May import: everything that reads input (`project`, `sources`, `config`), `findings`, `catalogue`, the rules and
`semantics`. Does not: print, format, or know the command line; it answers with a `Report`.
"""
