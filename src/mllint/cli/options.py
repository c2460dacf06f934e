"""The options of `mllint check`.

To add one: a line in `OPTIONS`, an attribute in `Options` with what holds without it, and the code that reads it.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING
from mllint.config.model import CONFIDENCES, FAIL_ON, OUTPUT_FORMATS, output_problem
from mllint.declared import COLOR, Option, plainly

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["OPTIONS", "Options", "all_options", "parser", "simple_options"]


class Options:
    """What `mllint check` was asked for, each option with what holds without it."""

    paths: list[str]
    output_format: list[str] | None = None
    output_file: str | None = None
    select: list[str] | None = None
    ignore: list[str] | None = None
    extend_select: list[str] | None = None
    pedantic = False
    auditor = False
    min_confidence: str | None = None
    fail_on: str | None = None
    exit_zero = False
    statistics = False
    config: list[str] | None = None
    isolated = False
    no_cache = False
    cache_dir: str | None = None
    jobs = "auto"
    stdin_filename: str | None = None
    baseline: str | None = None
    no_baseline = False
    context: str | None = None
    diff_base: str | None = None
    changed_lines = False
    staged = False
    color = "auto"
    timing = False
    watch = False
    add_ignore: str | None = None
    show_settings = False
    show_files = False
    quiet = False
    verbose = False


MOST_JOBS = 256


def _no_count(value: str) -> str:
    if value == "auto" or (value.isdecimal() and 0 < int(value) <= MOST_JOBS):
        return ""
    return f"`{value}` is neither auto nor a number from 1 to {MOST_JOBS}"


_FORMATS = "how findings are written, and into which file (repeatable): " + " ".join(OUTPUT_FORMATS)
_SELECTION, _OUTPUT, _FILES, _RUN = "Selection", "Output", "Configuration and files", "The run"
_PART = "Only a part of it"
_NO_FIXES = "mllint changes no code yet; the `help` of a finding says what to do, `--add-ignore` accepts it"

OPTIONS = (
    Option("--select", "only these rules, families, selectors (comma-separated)", "RULES", many=True, group=_SELECTION),
    Option("--ignore", "none of these", "RULES", many=True, group=_SELECTION),
    Option("--extend-select", "these, too", "RULES", many=True, group=_SELECTION),
    Option("--pedantic", "also the pedantic rules, and findings that rest on a guess", group=_SELECTION),
    Option("--auditor", "also the rules for a review; includes --pedantic", group=_SELECTION),
    Option("--min-confidence", "only rules that are this sure", "HOW", choices=CONFIDENCES, group=_SELECTION),
    Option("--output --output-format", _FORMATS, "FORMAT[:FILE]", True, OUTPUT_FORMATS, output_problem, _OUTPUT),
    Option("--output-file", "write the format that has no file of its own to this one", "FILE", group=_OUTPUT),
    Option("--statistics", "show how often each rule fires instead of the findings", group=_OUTPUT),
    COLOR._replace(group=_OUTPUT),
    Option("-q --quiet", "show findings only", group=_OUTPUT),
    Option("-v --verbose", "say which configuration is used", group=_OUTPUT),
    Option("--fail-on", "exit with 1 from here on", "SEVERITY", choices=FAIL_ON, group=_OUTPUT),
    Option("--exit-zero", "exit with 0 even if there are findings", group=_OUTPUT),
    Option("--config", "read this file, or put this TOML on top of all files", "FILE|TOML", many=True, group=_FILES),
    Option("--isolated", "look for no configuration file", group=_FILES),
    Option("--show-settings", "show what holds and why, and why each rule is on or off", group=_FILES),
    Option("--show-files", "show the files that would be checked", group=_FILES),
    Option("--stdin-filename", "what `-` is; the project around it is read", "PATH", group=_FILES),
    Option("--baseline", "report nothing that this file accepts (see `mllint baseline`)", "FILE", group=_PART),
    Option("--no-baseline", "report what the baseline accepts, too", group=_PART),
    Option("--diff-base", "only what is new since a commit; `auto` asks the CI service", "REF", group=_PART),
    Option("--changed-lines", "only what touches a line changed since the last commit, or --diff-base", group=_PART),
    Option("--staged", "only what is new in git's index, which counts instead of the files", group=_PART),
    Option("--context", "read the project in this folder, report what touches PATHS", "DIR", group=_PART),
    Option("--add-ignore", "accept what is found, by comments in the code", "REASON", group=_RUN, bare=""),
    Option("--watch", "check again whenever a file changes", group=_RUN),
    Option("--timing", "say what costs how much CPU time; without a cache, in one process", group=_RUN),
    Option("--no-cache", "neither read nor write a cache", group=_RUN),
    Option("--cache-dir", "where the cache is (default: .mllint_cache beside the configuration)", "DIR", group=_RUN),
    Option("-j --jobs", "auto, or how many processes to use at most", "N", refuses=_no_count, group=_RUN),
)
"""The options; each has an attribute in `Options`. The rest is made from this table: reading, help, completions."""


def simple_options(arguments: list[str]) -> Options | None:
    """The options of a command line that is plainly correct; None leaves it to the real parser."""
    options = Options()
    return options if plainly(arguments, OPTIONS, options) else None


def parser() -> Parser:
    """The parser for everything else, and for the help."""
    from mllint.options import Parser

    parser = Parser("check", "[OPTIONS] [PATHS]...", "Check files and folders; `-` reads standard input.")
    parser.epilog = "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 the run itself failed."
    parser.add_argument("paths", nargs="*", metavar="PATHS", help="files and folders (default: the current folder)")
    parser.declare(OPTIONS)
    parser.absent = dict.fromkeys(("--fix", "--fix-only", "--show-fixes", "--unsafe-fixes"), _NO_FIXES)
    return parser


def all_options(arguments: list[str]) -> Options:
    """The options of any command line."""
    options: Options = parser().parse(arguments, Options())
    return options
