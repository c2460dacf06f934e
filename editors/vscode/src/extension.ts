/**
 * mllint in VS Code. The findings, their fixes and all that is known about them come from the language server, `mllint
 * server`; this extension starts it (`server`, `command`), says how it fares (`status`), and shows what the protocol has
 * no words for (`panels`).
 */
import * as vscode from "vscode";

import { documentOf, Panels } from "./panels";
import { whenChosen } from "./python";
import { Server, type State } from "./server";
import { FOR_START } from "./settings";
import { isOurs, ruleOf, Status } from "./status";

const MENU = {
  "mllint.showTrace": "$(symbol-event) Show the training loop of this file",
  "mllint.explainRule": "$(book) Explain a rule",
  "mllint.restart": "$(debug-restart) Restart the server",
  "mllint.showLog": "$(output) Show the log",
};

let server: Server | undefined;

/** What other extensions, and tests, may know. */
export interface Api {
  /** How the server fares. */
  state(): State;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const log = vscode.window.createOutputChannel("mllint", { log: true });
  const status = new Status();
  const running = (server = new Server(context, log));
  const panels = new Panels(running);
  let state: State = { kind: "off" };
  context.subscriptions.push(
    log, status, panels, running,
    running.onDidChangeState((now) => { status.show((state = now)); }),
    vscode.languages.onDidChangeDiagnostics(() => { status.draw(); }),
    vscode.languages.registerCodeActionsProvider("python", { provideCodeActions: explanations }),
    vscode.workspace.onDidSaveTextDocument((document) => panels.refresh(document.uri)),
    vscode.workspace.onDidSaveNotebookDocument((notebook) => panels.refresh(notebook.uri)),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (FOR_START.some((name) => change.affectsConfiguration(`mllint.${name}`))) {
        await running.restart();
      }
    }),
    ...commands(running, panels, log),
    await whenChosen(() => void running.restart()),
  );
  await running.restart();
  return { state: () => state };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function commands(running: Server, panels: Panels, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const known: Record<string, (...given: unknown[]) => unknown> = {
    "mllint.restart": () => running.restart(),
    "mllint.showLog": () => { log.show(); },
    "mllint.explainRule": (rule) => panels.explain(rule),
    "mllint.showTrace": (uri) => {
      const editor = vscode.window.activeTextEditor;
      const shown = uri instanceof vscode.Uri ? uri : editor && documentOf(editor);
      return shown && panels.trace(shown);
    },
    "mllint.menu": async () => {
      const items = Object.entries(MENU).map(([command, label]) => ({ command, label }));
      const picked = await vscode.window.showQuickPick(items, { placeHolder: "mllint" });
      return picked && vscode.commands.executeCommand(picked.command);
    },
  };
  return Object.entries(known).map(([name, act]) => vscode.commands.registerCommand(name, act));
}

/** For each finding that somebody looks at: its page. */
function explanations(_: vscode.TextDocument, __: vscode.Range, context: vscode.CodeActionContext): vscode.CodeAction[] {
  const rules = new Set(context.diagnostics.filter(isOurs).map(ruleOf));
  return [...rules].map((rule) => {
    const action = new vscode.CodeAction(`Explain ${rule}`, vscode.CodeActionKind.QuickFix);
    action.command = { command: "mllint.explainRule", title: "Explain", arguments: [rule] };
    return action;
  });
}
