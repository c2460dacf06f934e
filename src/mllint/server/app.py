"""Which message of an editor leads to what? The language server itself.

initialize, didChangeConfiguration      which folders, which units, which settings
didOpen, didChange, didClose            the buffers (`DocumentStore`), and a `WorkspaceFolder` to work for each folder
textDocument/diagnostic                 waits until the findings rest on the newest text
workspace/diagnostic                    all files that have findings; held back while nothing changes
publishDiagnostics                      to clients that do not ask (again), and for the cells of notebooks
diagnostic/refresh                      where an edit in one file has changed what is found in another
hover, completion, codeAction           `assist`
workspace/executeCommand                `commands`
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from mllint.diagnostic import Diagnostic, Fix
from mllint.findings.add_ignore import ENGINE_OWNED
from mllint.fixes import concrete
from mllint.project.discovery import digest, shown
from mllint.server import assist, messages
from mllint.server.commands import COMMANDS
from mllint.server.document_store import SOURCES, DocumentStore, changes_of, path_of
from mllint.server.documents import Encoding
from mllint.server.settings import Settings
from mllint.server.workspace_folder import WorkspaceFolder
from mllint.version import __version__

__all__ = ["Server", "serve"]

_SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[types.NotebookCellLanguage(language="python")]
        )
    ],
    save=False,
)
_PULL = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="mllint")
_COMPLETION = types.CompletionOptions(trigger_characters=["[", ",", " ", '"'])
_FIX_ALL = "source.fixAll.mllint"
_KINDS: list[Any] = [types.CodeActionKind.QuickFix, _FIX_ALL]
_ACTIONS = types.CodeActionOptions(code_action_kinds=_KINDS, resolve_provider=True)
_LISTED = 100  # fixes that were listed last, and may be asked for
_WATCHED = (
    "**/*.{py,ipynb}",
    "**/*.toml",  # a configuration, or what one extends
    "**/*baseline*.json",
    "**/.gitignore",
    "**/{uv,poetry,pdm,pixi,conda}*.lock",
    "**/Pipfile.lock",
    "**/requirements*.txt",
)
_PATIENCE = 0.05  # seconds in which a client may ask by itself


class _Protocol(LanguageServerProtocol):
    """Hands the messages about texts to us alone, and answers a request whose parameters are invalid: pygls only logs
    it, and the editor would wait for ever."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if data.get("method") and isinstance(data.get("id"), (int, str)):
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def _pass_on(self, method: str, params: Any) -> Any:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Any:
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Any:
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_CLOSE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Any:
        yield from self._pass_on(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Any:
        yield from self._pass_on(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Any:
        yield from self._pass_on(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)


class Server(LanguageServer):
    """The server: what a message leads to, and what the client was last told."""

    def __init__(self) -> None:
        super().__init__("mllint", __version__, notebook_document_sync=_SYNC, protocol_cls=_Protocol)
        self.settings = Settings()
        self.store = DocumentStore(self._new_folder)
        self._answered: dict[str, str] = {}
        self._published: dict[str, tuple[int | None, str]] = {}
        self._news = asyncio.Event()
        self._refreshing = False
        self._listed: dict[str, Diagnostic] = {}
        self._told_of_libcst = False
        for method, handler, options in self._handlers():
            self.feature(method, options)(_unmarked_copy(handler))
        for name, answer in COMMANDS.items():
            self.command(name)(_answer_command(answer, self.store))

    def _handlers(self) -> list[tuple[str, Any, Any]]:
        """Which message goes where."""
        return [
            (types.INITIALIZE, self._initialize, None),
            (types.INITIALIZED, self._initialized, None),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._settings_changed, None),
            (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._folders_changed, None),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed, None),
            (types.TEXT_DOCUMENT_DID_OPEN, lambda params: self.store.open(params.text_document), None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._edited, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, lambda params: self._closed(params.text_document.uri), None),
            (types.TEXT_DOCUMENT_DID_SAVE, self._saved, None),
            (types.NOTEBOOK_DOCUMENT_DID_OPEN, self._notebook_opened, None),
            (types.NOTEBOOK_DOCUMENT_DID_CHANGE, self._notebook_edited, None),
            (types.NOTEBOOK_DOCUMENT_DID_CLOSE, self._notebook_closed, None),
            (types.TEXT_DOCUMENT_DIAGNOSTIC, self._diagnose, _PULL),
            (types.WORKSPACE_DIAGNOSTIC, self._diagnose_all, None),
            (types.TEXT_DOCUMENT_HOVER, self._hover, None),
            (types.TEXT_DOCUMENT_COMPLETION, self._complete, _COMPLETION),
            (types.TEXT_DOCUMENT_CODE_ACTION, self._actions, _ACTIONS),
            (types.CODE_ACTION_RESOLVE, self._resolve, None),
        ]

    def _new_folder(self, paths: list[str]) -> WorkspaceFolder:
        return WorkspaceFolder(paths, self.settings, say=self.warn, log=self.note, shown=self._shown)

    # -------------------------------------------------------------------------------------------------------- start
    def _initialize(self, params: types.InitializeParams) -> None:
        chosen = self.protocol.workspace.position_encoding
        self.store.encoding = Encoding(str(getattr(chosen, "value", chosen)))
        self.settings = Settings.read(params.initialization_options, self.warn)
        if not self._pulls:
            for method in (types.TEXT_DOCUMENT_DIAGNOSTIC, types.WORKSPACE_DIAGNOSTIC):
                self.protocol.fm.features.pop(method, None)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        if not folders and params.root_uri is not None:
            folders = [params.root_uri]
        for uri in folders:
            self.store.open_folder(uri)

    async def _initialized(self, params: types.InitializedParams) -> None:
        """Ask for what can only be asked for now: to be told of files, and the settings."""
        capabilities = self.client_capabilities.workspace or types.WorkspaceClientCapabilities()
        watching, configuring = capabilities.did_change_watched_files, capabilities.did_change_configuration
        wanted = []
        if watching is not None and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
            options: Any = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted.append(types.Registration("mllint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if configuring is not None and configuring.dynamic_registration:
            options = types.DidChangeConfigurationRegistrationOptions(section="mllint")
            wanted.append(types.Registration("mllint", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if wanted:
            self.client_register_capability(types.RegistrationParams(wanted))
        await self._ask_for_settings()

    async def _ask_for_settings(self) -> None:
        """Ask the client for our section of its settings, if it answers such questions."""
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.configuration:
            items = [types.ConfigurationItem(section="mllint")]
            answers = await self.workspace_configuration_async(types.ConfigurationParams(items))
            if answers and answers[0]:
                self._use(Settings.read(answers[0], self.warn))

    async def _settings_changed(self, params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            self._use(Settings.read(params.settings, self.warn))
        else:
            await self._ask_for_settings()

    def _use(self, settings: Settings) -> None:
        if settings != self.settings:
            self.settings = settings
            self.store.configure(settings)

    # ------------------------------------------------------------------------------------------------------ changes
    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            self.store.close_folder(folder.uri)
        for folder in params.event.added:
            self.store.open_folder(folder.uri)
        self.store.settle()

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._listed.clear()
        paths = [path for change in params.changes if (path := uris.to_fs_path(change.uri)) is not None]
        if any(self.store.is_configured_by(path) for path in paths):
            self.store.configure(self.settings)
        elif any(path.endswith((*SOURCES, ".gitignore")) and shown(path) not in self.store.names for path in paths):
            for folder in self.store.all_folders():
                folder.rescan()

    def _edited(self, params: types.DidChangeTextDocumentParams) -> None:
        self._listed.clear()
        document = params.text_document
        self.store.edit(document.uri, changes_of(params.content_changes), document.version)

    def _closed(self, uri: str) -> None:
        self.store.close(uri)
        self._answered.pop(uri, None)
        self._publish(uri, None, [])

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Clients that do not watch files tell us no more than this."""
        path = uris.to_fs_path(params.text_document.uri)
        if path is not None and assist.is_config(path):
            self.store.configure(self.settings)

    def _notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        self.store.open_notebook(params.notebook_document, params.cell_text_documents)

    def _notebook_edited(self, params: types.DidChangeNotebookDocumentParams) -> None:
        self._listed.clear()
        for uri in self.store.edit_notebook(params.notebook_document.uri, params.change):
            self._publish(uri, None, [])

    def _notebook_closed(self, params: types.DidCloseNotebookDocumentParams) -> None:
        for document in params.cell_text_documents:
            self._closed(document.uri)
        self._closed(params.notebook_document.uri)

    # -------------------------------------------------------------------------------------------------- diagnostics
    def _diagnostics_of(self, found: list[Diagnostic]) -> list[types.Diagnostic]:
        return [messages.diagnostic(diagnostic, self.store) for diagnostic in found]

    @property
    def _pulls(self) -> bool:
        """Does the client ask for diagnostics, and can it be asked to ask again? Who cannot would not learn what an
        edit in another file has changed."""
        capabilities, workspace = self.client_capabilities.text_document, self.client_capabilities.workspace
        asking = capabilities.diagnostic if capabilities is not None else None
        again = workspace.diagnostics if workspace is not None else None
        return asking is not None and again is not None and bool(again.refresh_support)

    async def _diagnose(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """The findings in one buffer; those of cells are published."""
        uri = params.text_document.uri
        items: list[types.Diagnostic] = []
        if self.store.is_checked(uri):
            folder, path = self.store.folder_of(path_of(uri))
            items = self._diagnostics_of(await folder.current(path))
        known = self._answered[uri] = messages.result_id(items)
        if known == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=known)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=known)

    async def _diagnose_all(self, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        """The findings in all files. If they are what the client knows, the answer waits for a change."""
        previous = {known.uri: known.value for known in params.previous_result_ids}
        while True:
            self._news.clear()
            for folder in list(self.store.folders.values()):
                await folder.settled()
            reports, news = self._overview(previous)
            if news or not previous:
                return types.WorkspaceDiagnosticReport(reports)
            await self._news.wait()

    def _overview(self, previous: dict[str, str]) -> tuple[list[types.WorkspaceDocumentDiagnosticReport], bool]:
        """A report for each file that has findings, or had some; and whether one of them is news."""
        reports: list[types.WorkspaceDocumentDiagnosticReport] = []
        news = False
        files = {
            self.store.name(path): (folder, path) for folder in self.store.folders.values() for path in folder.files()
        }
        for uri in sorted({*files, *previous}):
            folder, path = files.get(uri, (None, ""))
            items = self._diagnostics_of(folder.session.findings(path)) if folder is not None else []
            known = messages.result_id(items)
            text = self.store.texts.get(uri)
            version = text.version if text is not None else None
            if previous.get(uri) == known:
                reports.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, known, version))
            else:
                news = True
                reports.append(types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=known))
        return reports, news

    def _shown(self, folder: WorkspaceFolder) -> None:
        """There are new findings in a folder."""
        self._news.set()
        for path, uri in list(self.store.names.items()):
            if self.store.folder_of(path)[0] is folder and (folder.session.current(path) or folder.session.soon(path)):
                self._show(folder.session.findings(path), uri)
        if self.settings.mode == "workspace" and not self._pulls:
            files = set(folder.files())
            for path in (files | folder.told) - self.store.names.keys():
                self._publish(self.store.name(path), None, self._diagnostics_of(folder.session.findings(path)))
            folder.told = files
        if self._pulls and not self._refreshing:
            self._refreshing = True
            asyncio.get_running_loop().call_later(_PATIENCE, self._refresh)

    def _show(self, found: list[Diagnostic], uri: str) -> None:
        """Publish what is found in a buffer, if the client does not ask for it."""
        texts, notebook = self.store.texts, self.store.notebooks.get(uri)
        if notebook is not None:
            for number, cell in enumerate(notebook.cells, 1):
                if cell.uri in texts:
                    items = self._diagnostics_of([d for d in found if (d.span.cell or 1) == number])
                    self._publish(cell.uri, texts[cell.uri].version, items)
        elif not self._pulls and uri in texts:
            self._publish(uri, texts[uri].version, self._diagnostics_of(found))

    def _publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None:
        """Publish, unless the client has been told the same, or has nothing to forget."""
        state = version, messages.result_id(items)
        if self._published.get(uri) != state and (items or version is not None or uri in self._published):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
        if items or version is not None:
            self._published[uri] = state
        else:
            self._published.pop(uri, None)

    def _refresh(self) -> None:
        """Have the client ask again, if it knows less of a buffer than we do."""
        self._refreshing = False
        for path, uri in self.store.names.items():
            folder = self.store.folder_of(path)[0]
            if uri in self._answered and folder.session.current(path):
                if messages.result_id(self._diagnostics_of(folder.session.findings(path))) != self._answered[uri]:
                    self.workspace_diagnostic_refresh(None)
                    return

    # --------------------------------------------------------------------------------------------------- assistance
    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        """The page of the rule that is named, or found, at a place."""
        uri, where = params.text_document.uri, params.position
        text = self.store.texts.get(uri)
        if text is None:
            return None
        line = text.lines[where.line] if where.line < len(text.lines) else ""
        named = assist.rule_at(line, self.store.encoding.points(line, where.character))
        rules = [*([named] if named else []), *(d.rule for d in self.store.findings_at(uri, types.Range(where, where)))]
        pages = [page for rule in dict.fromkeys(rules) if (page := assist.page_of(rule))]
        if not pages:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(pages)))

    def _complete(self, params: types.CompletionParams) -> types.CompletionList:
        """Names of rules, where they are written."""
        text, where = self.store.texts.get(params.text_document.uri), params.position
        items = []
        if text is not None:
            line = text.lines[where.line] if where.line < len(text.lines) else ""
            column = self.store.encoding.points(line, where.character)
            for start, item in assist.completions(path_of(text.uri), text.lines, where.line, column):
                begin = types.Position(where.line, self.store.encoding.units(line, start))
                item.text_edit = types.TextEdit(types.Range(begin, where), item.insert_text or item.label)
                item.insert_text = None
                items.append(item)
        return types.CompletionList(is_incomplete=False, items=items)

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What may be done about the findings at a place: fixes, and comments that accept them; and, where it is asked
        for by name, as editors do on saving, all safe fixes of the file."""
        only = params.context.only
        wanted = None if only is None else [str(getattr(kind, "value", kind)) for kind in only]
        uri = params.text_document.uri
        if wanted is not None and any(_is_kind(_FIX_ALL, kind) for kind in wanted):
            return self._fixing_all(uri)
        if wanted is not None and not any(_is_kind("quickfix", kind) for kind in wanted):
            return []
        found = self.store.findings_at(uri, params.range)
        fixes = self._fixing(uri, found)
        return fixes + [action for diagnostic in found for action in self._suppressing(uri, diagnostic)]

    def _fixing(self, uri: str, found: list[Diagnostic]) -> list[types.CodeAction]:
        """The fixes of findings."""
        if not any(assist.is_fixable(diagnostic) for diagnostic in found):
            return []
        folder, path = self.store.folder_of(self.store.file_of(uri))
        places = {(d.rule, d.span) for d in found}
        rules = frozenset(d.rule for d in found if assist.is_fixable(d))
        offered = folder.session.fixing.offered(folder.session.component(path), rules)
        chosen = [d for d in offered if (d.rule, d.span) in places]
        if len(chosen) < len(rules) and not self._told_of_libcst and not concrete.is_available():
            self._told_of_libcst = True
            self.warn(concrete.ABSENT)
        return [self._quick_fix(d, d.fix) for d in chosen if d.fix is not None]

    def _quick_fix(self, found: Diagnostic, fix: Fix) -> types.CodeAction:
        title = fix.message if fix.safe else f"{fix.message} (unsafe: changes what is computed)"
        problem, kind = messages.diagnostic(found, self.store), types.CodeActionKind.QuickFix
        action = types.CodeAction(title, kind, [problem], is_preferred=fix.safe or None)
        if not self._resolves:
            action.edit = assist.workspace_edit([found], self.store)
            return action
        action.data = {"fix": digest(repr((found.rule, found.span, fix)).encode())}
        self._listed[action.data["fix"]] = found
        for oldest in list(self._listed)[:-_LISTED]:
            del self._listed[oldest]
        return action

    def _fixing_all(self, uri: str) -> list[types.CodeAction]:
        """All safe fixes of a file, or of a notebook. Whether there is one, and which of them keep their promise
        together, is worked out when somebody looks at it."""
        folder, path = self.store.folder_of(self.store.file_of(uri))
        shown = (d for d in folder.session.findings(path) if assist.is_fixable(d))
        if not any(folder.session.fixing.is_safe(d) for d in shown):
            return []
        action = types.CodeAction("Apply all safe fixes of mllint", _FIX_ALL, data={"all": uri})
        return [action] if self._resolves or self._resolve(action).edit is not None else []

    def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        """An action with its edit; without one if the text is not the one any more for which it was listed."""
        data = action.data if isinstance(action.data, dict) else {}
        found = [self._listed[data["fix"]]] if data.get("fix") in self._listed else []
        if "all" in data:
            folder, path = self.store.folder_of(self.store.file_of(str(data["all"])))
            shown = [d for d in folder.session.findings(path) if assist.is_fixable(d)]
            found = folder.session.fixing.settled(folder.session.component(path), path, shown)
        if found:
            action.edit = assist.workspace_edit(found, self.store)
        return action

    @property
    def _resolves(self) -> bool:
        """Does the client ask for the edit of an action when somebody looks at it?"""
        document = self.client_capabilities.text_document
        actions = document.code_action if document is not None else None
        resolving = actions.resolve_support if actions is not None else None
        return resolving is not None and "edit" in resolving.properties and bool(actions and actions.data_support)

    def _suppressing(self, uri: str, found: Diagnostic) -> list[types.CodeAction]:
        folder, path = self.store.folder_of(self.store.file_of(uri))
        file = folder.session.source(path)
        if file is None or file.broken or found.rule in ENGINE_OWNED:
            return []
        actions = []
        for offer in assist.suppressions(found, file.data, whole=not self.store.is_cell(uri)):
            where = types.Range(types.Position(offer.start, 0), types.Position(offer.end, 0))
            edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(where, offer.text)]})
            problem = messages.diagnostic(found, self.store)
            actions.append(types.CodeAction(offer.title, types.CodeActionKind.QuickFix, [problem], edit=edit))
        return actions

    # ---------------------------------------------------------------------------------------------------- messages
    def warn(self, text: str) -> None:
        """Tell the user."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))

    def note(self, text: str) -> None:
        """Write a line into the log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A mistake of ours is for the log."""
        self.note(f"{type(error).__name__}: {error}")


def _is_kind(kind: str, requested: str) -> bool:
    """Is a kind of actions one that is asked for: itself, or one of its kinds?"""
    return kind == requested or kind.startswith(f"{requested}.")


def _unmarked_copy(handler: Any) -> Any:
    """A function that does what `handler` does: pygls marks the one that it is given."""
    if asyncio.iscoroutinefunction(handler):

        async def handle_later(params: Any) -> Any:
            return await handler(params)

        return handle_later

    def handle(params: Any) -> Any:
        return handler(params)

    return handle


def _answer_command(answer: Any, store: DocumentStore) -> Any:
    """What answers a command, as pygls calls it."""

    def handle(*arguments: Any) -> Any:
        return answer(store, *arguments)

    return handle


def serve() -> int:
    """Talk to an editor on standard input and output until it says goodbye; gives the exit code."""
    gc.disable()  # nothing is looked through while somebody waits; see `WorkspaceFolder`
    try:
        Server().start_io()
    except SystemExit as end:
        return int(end.code or 0)
    return 0
