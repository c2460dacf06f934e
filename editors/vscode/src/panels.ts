/** The panels beside the code: the training loop as mllint understands it, and the page of a rule. One of each. */
import * as vscode from "vscode";

import { clicked, escaped, rulePage, sentencePage, target, tracePage } from "./html";
import type { Server } from "./server";
import { isOurs, ruleOf } from "./status";

type Kind = "mllint.trace" | "mllint.rule";

export class Panels implements vscode.Disposable {
  private readonly open = new Map<Kind, vscode.WebviewPanel>();
  private traced: vscode.Uri | undefined;

  constructor(private readonly server: Server) {}

  /** Shows the training loops of a file, and again whenever it is saved. */
  async trace(uri: vscode.Uri): Promise<void> {
    const panel = this.panel("mllint.trace", `Loop: ${nameOf(uri)}`, true);
    this.traced = uri;
    panel.webview.html = await this.drawn(uri);
  }

  /** Draws the file that is shown once more, if it is this one. */
  async refresh(uri: vscode.Uri): Promise<void> {
    const panel = this.open.get("mllint.trace");
    if (panel !== undefined && this.traced?.toString() === uri.toString()) {
      panel.webview.html = await this.drawn(uri);
    }
  }

  /** Shows the page of a rule: of the one that is named, that of a finding at the cursor, or one that is chosen. */
  async explain(named: unknown): Promise<void> {
    const rule = typeof named === "string" ? named : (ruleAtCursor() ?? (await this.chosen()));
    if (rule === undefined) {
      return;
    }
    const text = field(await this.server.ask("mllint.page", rule), "text");
    const panel = this.panel("mllint.rule", rule, false);
    panel.webview.html = text ? rulePage(await rendered(text)) : sentencePage(`There is no page of ${rule}.`);
  }

  dispose(): void {
    for (const panel of this.open.values()) {
      panel.dispose();
    }
  }

  private async drawn(uri: vscode.Uri): Promise<string> {
    const answer = await this.server.ask("mllint.trace", uri.toString());
    const svg = field(answer, "svg");
    return svg ? tracePage(svg) : sentencePage(field(answer, "problem") || "mllint does not run.");
  }

  private async chosen(): Promise<string | undefined> {
    const rows = await this.server.ask("mllint.rules");
    const items = (Array.isArray(rows) ? rows : []).map((row: unknown) => ({
      label: field(row, "name"),
      description: `${field(row, "family")}, ${field(row, "severity")}`,
      detail: field(row, "headline"),
    }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: "The rule", matchOnDetail: true });
    return picked?.label;
  }

  private panel(kind: Kind, title: string, scripts: boolean): vscode.WebviewPanel {
    const known = this.open.get(kind);
    if (known !== undefined) {
      known.title = title;
      known.reveal(undefined, true);
      return known;
    }
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(kind, title, where, { enableScripts: scripts, localResourceRoots: [] });
    panel.onDidDispose(() => this.open.delete(kind));
    panel.webview.onDidReceiveMessage((message: unknown) => lead(message));
    this.open.set(kind, panel);
    return panel;
  }
}

/** The document behind what is edited: that of a notebook for one of its cells. */
export function documentOf(editor: vscode.TextEditor): vscode.Uri {
  const cell = editor.document.uri.scheme === "vscode-notebook-cell";
  const notebook = vscode.workspace.notebookDocuments.find((one) =>
    one.getCells().some((row) => row.document === editor.document));
  return cell && notebook !== undefined ? notebook.uri : editor.document.uri;
}

/** The rule of a finding at the cursor. */
function ruleAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const items = editor === undefined ? [] : vscode.languages.getDiagnostics(editor.document.uri);
  const here = items.find((item) => isOurs(item) && editor?.selection.intersection(item.range) !== undefined);
  return here && ruleOf(here);
}

/** Opens the place of a row that was clicked. */
async function lead(message: unknown): Promise<void> {
  const row = clicked(message);
  const place = row && target(row.place);
  if (place === undefined) {
    return;
  }
  const uri = vscode.Uri.file(row?.path ?? "");
  const where = new vscode.Range(place.line, 0, place.line, 0);
  if (place.cell === undefined) {
    await vscode.window.showTextDocument(uri, { selection: where, viewColumn: vscode.ViewColumn.One });
    return;
  }
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const cell = new vscode.NotebookRange(place.cell, place.cell + 1);
  await vscode.window.showNotebookDocument(notebook, { selections: [cell], viewColumn: vscode.ViewColumn.One });
}

/** Markdown as HTML: by VS Code itself, or as it is written. */
async function rendered(text: string): Promise<string> {
  try {
    return await vscode.commands.executeCommand<string>("markdown.api.render", text);
  } catch {
    return `<pre>${escaped(text)}</pre>`;
  }
}

function field(answer: unknown, name: string): string {
  const value = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : "";
  return typeof value === "string" ? value : "";
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}
