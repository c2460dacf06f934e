"""When is what worked out? One folder of the workspace, its session, and the task that keeps it up to date.

    edit -> the session is told, the task is woken -> it works in slices, between which messages are read
         -> findings are there: whoever waits for them is woken, the server is told
         -> a newer edit: what was begun is thrown away, the newest text wins

Edits that follow each other quickly are answered together: while somebody types, and answers take long, the next one
waits a little. All of it happens in one thread, in the event loop; the longest that a message waits is one question of
one rule.
"""

from __future__ import annotations

import asyncio
import gc
import os
import traceback
from collections.abc import Callable, Sequence
from time import perf_counter

from mllint.config.model import Config
from mllint.diagnostic import Diagnostic
from mllint.errors import MllintError
from mllint.server.session import REST, SHOWN, Session, rules_of
from mllint.server.settings import Settings, config_of

__all__ = ["WorkspaceFolder"]

_SLICE_SECONDS = 0.008  # of work between two looks at the messages
_SLOW_SECONDS, _DELAY_SECONDS = 0.03, 0.15  # after an answer that took so long, an edit waits for the next one
_TYPING_SECONDS = 0.5  # an edit that comes later than this after another one need not wait
_IDLE_SECONDS = 0.3  # without an edit before what can wait is worked out
_GC_THRESHOLD = 200_000  # objects; more than this are looked through when there is time


class WorkspaceFolder:
    """One folder, or one file that is in none.

    Args:
        paths: what is checked: the folder, or the file.
        settings: of the editor.
        say: is told about mistakes in the configuration.
        log: takes a line for the log.
        shown: is called when there are new findings.
    """

    def __init__(
        self,
        paths: Sequence[str],
        settings: Settings,
        *,
        say: Callable[[str], None],
        log: Callable[[str], None],
        shown: Callable[[WorkspaceFolder], None],
    ) -> None:
        self.paths = list(paths)
        self.watched: set[str] = set()
        self.told: set[str] = set()
        self.everything = settings.mode == "workspace"
        self.latency = 0.0
        self._say, self._log, self._shown = say, log, shown
        self._logged: set[str] = set()
        self._wake = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []
        self._done = self._failed = -1
        self._delay = self._woken = 0.0
        self._texts: dict[str, bytes] = {}
        self.session = self._opened(settings)
        self._task = asyncio.ensure_future(self._live())

    # ----------------------------------------------------------------------------------------------------- changes
    def put(self, path: str, data: bytes) -> None:
        """A buffer was opened or edited."""
        self._texts[path] = data
        self.watched.add(path)
        self.session.put(path, data)
        self.wake()

    def close(self, path: str) -> None:
        """A buffer was closed."""
        self._texts.pop(path, None)
        self.watched.discard(path)
        self.session.close(path)
        self.wake()

    def rescan(self) -> None:
        """Files may have come, gone or changed."""
        self.session.rescan()
        self.wake()

    def configure(self, settings: Settings) -> None:
        """The configuration may be another one."""
        self.everything = self.everything or settings.mode == "workspace"
        self.session = self._opened(settings)
        self.wake()

    def wake(self) -> None:
        """There is something to work out."""
        self._wake.set()

    def end(self) -> None:
        """Nobody is interested any more."""
        self._task.cancel()
        self._release()

    def _opened(self, settings: Settings) -> Session:
        """A session with the buffers; with the configuration of before if the new one is wrong."""
        before: Session | None = getattr(self, "session", None)
        try:
            config = config_of(self.paths, settings)
            session = Session(self.paths, config, rules_of(config))
        except MllintError as error:
            self._say(f"mllint: {error}")
            config = before.config if before is not None else _fallback(self.paths)
            session = Session(self.paths, config, rules_of(config))
        for path, data in self._texts.items():
            session.put(path, data)
        if before is not None:
            session.generation = before.generation + 1
        return session

    # ----------------------------------------------------------------------------------------------------- answers
    async def current(self, path: str) -> list[Diagnostic]:
        """The findings in a file, as soon as they rest on what it says now."""
        while not self.session.current(path) and self.session.generation not in (self._done, self._failed):
            await self._next()
        return self.session.findings(path)

    def files(self) -> list[str]:
        """The files in which something was found."""
        return list(self.session.found())

    async def settled(self) -> None:
        """Wait until all is worked out, in files that nobody looks at, too."""
        if not self.everything:
            self.everything = True
            self._done = -1
        while self.session.generation not in (self._done, self._failed):
            self.wake()
            await self._next()

    def _next(self) -> asyncio.Future[None]:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    # -------------------------------------------------------------------------------------------------------- work
    async def _live(self) -> None:
        while True:
            await self._wake.wait()
            before, self._woken = self._woken, perf_counter()
            await asyncio.sleep(self._delay if self._woken - before < _TYPING_SECONDS else 0)
            self._wake.clear()
            session, generation = self.session, self.session.generation
            try:
                await self._work(session, generation)
            except Exception:  # noqa: BLE001  (the crash barrier: a bug of ours must not end the server)
                self._log(f"internal error:\n{traceback.format_exc()}")
                self._failed = generation
            if session is self.session and session.generation == generation:
                self._done = generation
            self._release()

    async def _work(self, session: Session, generation: int) -> None:
        """Work until all is done, or something newer has come."""
        steps = session.work(self.watched, everything=self.everything)
        start = slice_start = perf_counter()
        answered = False
        try:
            for pause in steps:
                now = perf_counter()
                if pause == SHOWN:
                    if not answered:
                        answered, self.latency = True, now - start
                        self._delay = _DELAY_SECONDS if self.latency > _SLOW_SECONDS else 0.0
                    self._tell(session)
                elif pause != REST and now - slice_start < _SLICE_SECONDS:
                    continue
                await asyncio.sleep(_IDLE_SECONDS if pause == REST else 0)
                if session is not self.session or session.generation != generation:
                    return
                slice_start = perf_counter()
        finally:
            steps.close()
        self._tell(session)
        if gc.get_count()[0] > _GC_THRESHOLD:
            gc.collect(1)

    def _tell(self, session: Session) -> None:
        for line in session.log:
            if line not in self._logged:
                self._logged.add(line)
                self._log(line)
        session.log.clear()
        self._shown(self)
        self._release()


def _fallback(paths: Sequence[str]) -> Config:
    """The configuration without the settings of the editor, else the defaults."""
    try:
        config = config_of(paths, Settings())
        rules_of(config)
    except MllintError:
        return Config(root=os.path.abspath(paths[0]), is_final=True)
    return config._replace(is_final=True)
