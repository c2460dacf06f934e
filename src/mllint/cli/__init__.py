"""What happens when somebody types `mllint`?

    app          the group of commands, exit codes, and what becomes of an error
    command      our kind of click command and option: errors with the nearest name, help by headings
    check, ...   one module a command, with the click command in `command`; imported when it is called
    options      the options of `check`, which others share in part
    settings     the settings of a run: the configuration, and the options above it
    completions  scripts for shells, and what they are answered
    output       where a report goes, and in which formats
    terminal     printing: streams, colours, widths
    progress     how far a long run is
    watch        `check --watch`

This is the top floor: it may import everything, and nothing imports it. It decides nothing about findings.
"""

from __future__ import annotations

from mllint.cli.app import main, run

__all__ = ["main", "run"]
