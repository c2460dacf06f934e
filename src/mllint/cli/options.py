"""The options of `mllint check`.

To add one: a line in `OPTIONS`, a field in `Options` with what holds without it, and the code that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mllint.cli.command import Checked, Words, color, option
from mllint.cli.completions import rules
from mllint.config.model import CONFIDENCES, FAIL_ON, OUTPUT_FORMATS, output_problem

__all__ = ["OPTIONS", "Options"]

MOST_JOBS = 256
_RULES = Checked(complete=rules)
_FILE = Checked(splits=False)
_FORMATS = "how findings are written, and into which file (repeatable): " + " ".join(OUTPUT_FORMATS)
_SELECTION, _OUTPUT, _FILES, _RUN = "Selection", "Output", "Configuration and files", "The run"
_PART = "Limiting the report"
_FIXES = "Fixes"


@dataclass
class Options:
    """What `mllint check` was asked for, each option with what holds without it."""

    paths: tuple[str, ...] = ()
    output_format: tuple[str, ...] = ()
    output_file: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool | None = None
    pedantic: bool = False
    auditor: bool = False
    min_confidence: str | None = None
    fail_on: str | None = None
    exit_zero: bool = False
    statistics: bool = False
    config: tuple[str, ...] = ()
    isolated: bool = False
    no_cache: bool = False
    cache_dir: str | None = None
    jobs: str = "auto"
    stdin_filename: str | None = None
    baseline: str | None = None
    no_baseline: bool = False
    context: str | None = None
    environment: str | None = None
    diff_base: str | None = None
    changed_lines: bool = False
    staged: bool = False
    color: str = "auto"
    timing: bool = False
    watch: bool = False
    add_ignore: str | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    fix_only: bool = False
    show_fixes: bool = False
    exit_non_zero_on_fix: bool = False
    show_settings: bool = False
    show_files: bool = False
    quiet: bool = False
    verbose: bool = False


def _no_count(value: str) -> str:
    if value == "auto" or (value.isdecimal() and len(value) < 9 and 0 < int(value) <= MOST_JOBS):
        return ""
    return f"`{value}` is neither auto nor a number from 1 to {MOST_JOBS}"


def _no_ignores(value: str) -> str:
    glob, colon, rules = value.rpartition(":")
    if glob and colon and rules.strip(", "):
        return ""
    return (
        f"`{value}` is not a glob with rules after a colon: write `--per-file-ignores 'tests/**:loss,unseeded-shuffle'`"
    )


def _formats(beginning: str) -> list[str]:
    return [name for name in OUTPUT_FORMATS if name.startswith(beginning)]


OPTIONS = (
    option("--select", "only these rules, families, selectors (comma-separated)", "RULES",
           many=True, kind=_RULES, group=_SELECTION, env="MLLINT_SELECT"),
    option("--ignore", "not these rules", "RULES", many=True, kind=_RULES, group=_SELECTION, env="MLLINT_IGNORE"),
    option("--extend-select", "these rules as well", "RULES",
           many=True, kind=_RULES, group=_SELECTION, env="MLLINT_EXTEND_SELECT"),
    option("--extend-ignore", "also ignore these rules", "RULES",
           many=True, kind=_RULES, group=_SELECTION, env="MLLINT_EXTEND_IGNORE"),
    option("--per-file-ignores", "not these rules in files that match a glob (repeatable)", "GLOB:RULES",
           many=True, kind=Checked(_no_ignores), group=_SELECTION),
    option("--pedantic", "also the pedantic rules, and findings that rest on a guess", group=_SELECTION),
    option("--auditor", "also the rules for a review; includes --pedantic", group=_SELECTION),
    option("--min-confidence", "only rules with at least this confidence", "HOW",
           kind=Words(CONFIDENCES), group=_SELECTION),
    option("-f --output --output-format", _FORMATS, "FORMAT[:FILE]",
           many=True, kind=Checked(output_problem, _formats), group=_OUTPUT, env="MLLINT_OUTPUT_FORMAT", writes=True),
    option("--output-file", "file for the format that has none", "FILE",
           kind=_FILE, group=_OUTPUT, env="MLLINT_OUTPUT_FILE", writes=True),
    option("--statistics", "show how often each rule fires instead of the findings, as text or json", group=_OUTPUT),
    color(_OUTPUT),
    option("-q --quiet", "show findings only", group=_OUTPUT),
    option("-v --verbose", "say which configuration is used", group=_OUTPUT),
    option("--fail-on", "exit with 1 from this severity on", "SEVERITY",
           kind=Words(FAIL_ON), group=_OUTPUT, env="MLLINT_FAIL_ON"),
    option("--exit-zero", "exit with 0 even if there are findings", group=_OUTPUT),
    option("--config", "use this file instead, or override all files by this TOML (repeatable)", "FILE|TOML",
           many=True, kind=_FILE, group=_FILES, env="MLLINT_CONFIG"),
    option("--isolated", "ignore all configuration files", group=_FILES, env="MLLINT_ISOLATED"),
    option("--exclude", "names and globs of files and folders to skip, instead of the built-in list", "NAMES",
           many=True, group=_FILES, env="MLLINT_EXCLUDE"),
    option("--extend-exclude", "skip these as well", "NAMES", many=True, group=_FILES, env="MLLINT_EXTEND_EXCLUDE"),
    option("--respect-gitignore/--no-respect-gitignore", "whether to skip files that git ignores (default: yes)",
           group=_FILES, env="MLLINT_RESPECT_GITIGNORE"),
    option("--environment", "read libraries without a stub in this environment: auto, or its folder", "PATH|auto",
           kind=_FILE, group=_FILES, env="MLLINT_ENVIRONMENT"),
    option("--show-settings", "show all settings and where they come from, and why each rule is on or off",
           group=_FILES),
    option("--show-files", "show the files that would be checked", group=_FILES),
    option("--stdin-filename", "the file that standard input stands for; its project is read", "PATH",
           kind=_FILE, group=_FILES),
    option("--baseline", "do not report findings that this file accepts (see `mllint baseline`)", "FILE",
           kind=_FILE, group=_PART),
    option("--no-baseline", "also report findings that the baseline accepts", group=_PART),
    option("--diff-base", "only findings that are new since a commit; `auto` asks the CI service", "REF",
           group=_PART),
    option("--changed-lines", "only findings on a line changed since the last commit, or --diff-base", group=_PART),
    option("--staged", "only findings that are new in git's index; ignores the working tree", group=_PART),
    option("--context", "read the project in this folder, report what touches PATHS", "DIR", kind=_FILE, group=_PART),
    option("--fix", "apply the safe fixes, which do not change results", group=_FIXES, writes=True),
    option("--unsafe-fixes", "the unsafe fixes as well, which change what is trained or measured", group=_FIXES),
    option("--diff", "show what --fix would change, and change nothing", group=_FIXES),
    option("--fix-only", "apply fixes without reporting the remaining findings", group=_FIXES, writes=True),
    option("--show-fixes", "list what was fixed", group=_FIXES),
    option("--exit-non-zero-on-fix", "exit with 1 if anything was fixed", group=_FIXES),
    option("--add-ignore", "accept all findings, by comments in the code", "REASON",
           bare="", group=_RUN, writes=True),
    option("--watch", "check again whenever a file changes", group=_RUN),
    option("--timing", "show the CPU time of each phase and rule; no cache, one process", group=_RUN),
    option("--no-cache", "neither read nor write a cache", group=_RUN, env="MLLINT_NO_CACHE"),
    option("--cache-dir", "folder of the cache (default: .mllint_cache next to the configuration)", "DIR",
           kind=_FILE, group=_RUN, env="MLLINT_CACHE_DIR"),
    option("-j --jobs", "auto, or the maximum number of processes", "N",
           kind=Checked(_no_count), default="auto", group=_RUN, env="MLLINT_JOBS"),
)  # fmt: skip
"""The options; each has a field in `Options`. Reading, help, completions and documentation are made from this table."""
