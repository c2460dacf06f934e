"""What has changed since a commit? Asked of git, which is run and never imitated; nothing is checked out.

    repository = Repository.around(".")
    base = repository.merge_base(repository.commit("main"))
    repository.changes(base)              each Python file and notebook that differs, with what it was called and held
    repository.changes(base, staged=True) the same for what would be committed now

`automatic` knows in which variables a CI service says what a change is to be merged into. What cannot be answered is
an error in a sentence: no repository, no such commit (with the nearest name), a clone without the history that is
needed. What a change means for findings is not decided here (see `difference`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mllint.errors import MllintError, UsageError, did_you_mean
from mllint.files import reading
from mllint.project import git
from mllint.project.discovery import shown

__all__ = ["Change", "Repository", "automatic"]

_FILES = (":(top)*.py", ":(top)*.ipynb")
_RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules", f"-O{os.devnull}")
_REGULAR = "100"
_MAX_NAMED = 5  # branches and tags that are named in a message
_SHALLOW = (
    "this clone has only a part of the history: fetch all of it "
    "(`git fetch --unshallow`; in GitHub Actions `fetch-depth: 0`, in GitLab CI `GIT_DEPTH: 0`)"
)
_PARTIAL = (
    "this clone lacks contents of files that have changed, and mllint fetches nothing: clone it without "
    "`--filter`, or let git fetch them first (`git diff COMMIT`)"
)

_FETCHING = ("unable to read", "promisor", "could not fetch", "transport '")
"""What git says that wanted to fetch and was not allowed to: itself, or the process that it started for it."""


class Change(NamedTuple):
    """A file that is not what it was.

    Args:
        old: its path before, None if it is new. Both paths are absolute.
        new: its path now, None if it is gone.
        before: what git calls its contents before.
        after: what git calls its contents now, if they are in the index.
    """

    old: str | None
    new: str | None
    before: str | None = None
    after: str | None = None


class Repository:
    """A git repository with a working tree.

    Attributes:
        top: the uppermost folder of its working tree, absolute.
    """

    def __init__(self, tree: git.WorkTree) -> None:
        self._tree = tree
        self.top = tree.top

    @classmethod
    def around(cls, folder: str) -> Repository:
        """The repository that a folder is in.

        Raises:
            MllintError: it is in none, or there is no git.
        """
        tree = git.around(folder)
        if tree is None:
            raise MllintError(f"`{shown(folder)}` is in no git repository, so there is nothing to compare it with")
        return cls(tree)

    def commit(self, name: str) -> str:
        """The commit that a branch, a tag or anything else that git understands stands for.

        A branch that is only known as that of the remote `origin`, as CI has it, is meant by its own name, too.

        Raises:
            UsageError: there is none.
        """
        for candidate in (name, f"origin/{name}"):
            known = self.known(candidate)
            if known is not None:
                return known
        names = self._ask(
            "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"
        ).split()
        hint = did_you_mean(name, {*names, *(word.removeprefix("origin/") for word in names), "HEAD"})
        relative = "~" in name or "^" in name
        if relative:
            hint = ""
        if not hint and self.is_shallow:
            hint = f"; {_SHALLOW}"
        if not hint and not relative and len(names) <= _MAX_NAMED:
            hint = f"; it has {', '.join(f'`{word}`' for word in names)}" if names else "; it has no commit yet"
        raise UsageError(f"`{name}` is not a commit, branch or tag of this repository{hint}")

    def known(self, name: str) -> str | None:
        """As `commit`, None if there is none by exactly this name."""
        if name.startswith("-") or not name:
            return None
        answer = self._tree.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return None if answer.code else answer.output.decode().strip()

    def merge_base(self, commit: str, name: str) -> str:
        """Where the current commit and another one have gone apart.

        Args:
            commit: the other one.
            name: how the user calls it.

        Raises:
            MllintError: nowhere, as far as this repository knows.
        """
        answer = self._tree.run("merge-base", commit, "HEAD")
        if not answer.code:
            return answer.output.decode().strip()
        if self.known("HEAD") is None:
            raise MllintError(f"there is no commit yet that could be compared with `{name}`")
        if answer.code > 1:
            raise MllintError(f"git cannot compare `{name}` with the current commit: {answer.problem}")
        reason = f"; {_SHALLOW}" if self.is_shallow else ""
        raise MllintError(f"`{name}` and the current commit have no common ancestor{reason}")

    def last(self) -> str:
        """The last commit, or the empty tree if there is none yet."""
        return self.known("HEAD") or self._ask("hash-object", "-t", "tree", "--stdin").strip()

    @property
    def is_shallow(self) -> bool:
        """Whether a part of the history is missing."""
        return self._ask("rev-parse", "--is-shallow-repository").strip() == "true"

    def changes(self, base: str, *, staged: bool = False) -> list[Change]:
        """The Python files and notebooks that are not what they were in a commit.

        Args:
            base: the commit.
            staged: compare the index with it, not the working tree.
        """
        which = ("--cached",) if staged else ()
        out = self._read("diff", *which, *_RAW, "-M", base, "--", *_FILES)
        found = [change for change in self._raw(out) if change.old or change.new]
        if not staged:
            found += [Change(None, path) for path in self.untracked()]
        return found

    def unstaged(self) -> list[Change]:
        """The Python files and notebooks whose index is not what is in the working tree; `before` is the index."""
        found = list(self._raw(self._read("diff", *_RAW, "--no-renames", "--", *_FILES)))
        return [*found, *(Change(None, path) for path in self.untracked())]

    def untracked(self) -> list[str]:
        """The Python files and notebooks that git neither knows nor ignores."""
        out = self._read("ls-files", "--others", "--exclude-standard", "-z", "--", *_FILES)
        return [self._path(name) for name in out.split(b"\0") if name]

    def contents(self, names: Iterable[str]) -> dict[str, bytes]:
        """What git has under the given names of contents.

        Raises:
            MllintError: the clone lacks some, and nothing is fetched here.
        """
        wanted = list(dict.fromkeys(names))
        out = (
            self._read("cat-file", "--batch", text="".join(f"{name}\n" for name in wanted).encode()) if wanted else b""
        )
        found: dict[str, bytes] = {}
        at = 0
        while at < len(out):
            end = out.index(b"\n", at)
            name, kind, *size = out[at:end].decode().split()
            at = end + 1
            if size:
                found[name] = out[at : at + int(size[0])]
                at += int(size[0]) + 1
            else:
                raise MllintError(_PARTIAL if kind == "missing" else f"git cannot read the contents {name}: {kind}")
        return found

    def _raw(self, out: bytes) -> Iterator[Change]:
        """The changes that `git diff --raw -z` lists; a link is no file."""
        words = iter(out.split(b"\0"))
        for word in words:
            if not word:
                return
            before, after, old_name, new_name, status = word.decode().lstrip(":").split()
            old = new = self._path(next(words))
            if status[0] in "RC":
                new = self._path(next(words))
            yield Change(
                old if before.startswith(_REGULAR) and status[0] != "C" else None,
                new if after.startswith(_REGULAR) else None,
                _name(old_name),
                _name(new_name),
            )

    def _path(self, name: bytes) -> str:
        """Where a file is.

        Raises:
            MllintError: not below the working tree. git makes no such name, but believes an index that has one.
        """
        parts = os.fsdecode(name).split("/")
        if {"", os.curdir, os.pardir} & set(parts):
            raise MllintError(f"git knows a file by a name that leads elsewhere: `{'/'.join(parts)}`")
        return os.path.join(self.top, *parts)

    def _ask(self, *arguments: str) -> str:
        return os.fsdecode(self._read(*arguments))

    def _read(self, *arguments: str, text: bytes = b"") -> bytes:
        answer = self._tree.run(*arguments, text=text)
        if answer.code and any(words in answer.problem for words in _FETCHING):
            raise MllintError(_PARTIAL)
        if answer.code:
            raise MllintError(f"git cannot read the repository `{self.top}`: {answer.problem}")
        return answer.output


# ------------------------------------------------------------------------------------------------------------------- CI
def automatic(repository: Repository, environment: Mapping[str, str]) -> str:
    """What the current change is to be merged into, or has been added to: by what a CI service says, else the default
    branch.

    Returns:
        A name that `Repository.commit` knows.

    Raises:
        MllintError: none of what is said is known here.
    """
    candidates = [name for name in _candidates(repository, environment) if name and name.strip("0")]
    for name in candidates:
        if repository.known(name) is not None:
            return name
    tried = ", ".join(f"`{name}`" for name in dict.fromkeys(candidates))
    reason = _SHALLOW if repository.is_shallow else "name it: `--diff-base REF`"
    raise MllintError(f"`--diff-base auto` finds none of {tried}; {reason}")


def _candidates(repository: Repository, environment: Mapping[str, str]) -> Iterator[str]:
    get = environment.get
    yield from _github(repository, environment)
    yield get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")  # GitLab
    yield from _branch(get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", ""))
    yield get("CI_COMMIT_BEFORE_SHA", "")
    yield from _branch(get("CI_DEFAULT_BRANCH", ""))
    yield from _branch(get("SYSTEM_PULLREQUEST_TARGETBRANCH", ""))  # Azure Pipelines
    yield from _branch(get("BITBUCKET_PR_DESTINATION_BRANCH", ""))
    yield get("BITBUCKET_PR_DESTINATION_COMMIT", "")
    yield from _branch(get("CHANGE_TARGET", ""))  # Jenkins
    yield get("GIT_PREVIOUS_SUCCESSFUL_COMMIT", "")
    yield "origin/HEAD"  # CircleCI says nothing, and neither does a terminal
    for branch in ("main", "master"):
        yield from _branch(branch)


def _github(repository: Repository, environment: Mapping[str, str]) -> Iterator[str]:
    """A pull request, a merge queue, or a push."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return
    event = _event(environment.get("GITHUB_EVENT_PATH", ""))
    base = environment.get("GITHUB_BASE_REF", "")
    if base:
        yield from _branch(base)
        yield _text(event, "pull_request", "base", "sha")
        if repository.known("HEAD^2") is not None:  # what is checked out is the merge with the base
            yield "HEAD^1"
    yield _text(event, "merge_group", "base_sha")
    yield _text(event, "before")
    yield from _branch(_text(event, "repository", "default_branch"))


def _branch(name: str) -> Iterator[str]:
    """A branch as a clone of CI has it: often only that of the remote."""
    name = name.removeprefix("refs/heads/")
    if name:
        yield f"origin/{name}"
        yield name


def _event(path: str) -> Any:
    import json

    try:
        return json.loads(reading.read(path, reading.SOURCE))
    except (OSError, ValueError):
        return None


def _text(value: Any, *keys: str) -> str:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


# ---------------------------------------------------------------------------------------------------------------- words
def _name(blob: str) -> str | None:
    return blob if blob.strip("0") else None
