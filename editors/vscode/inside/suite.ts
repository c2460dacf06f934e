/** The extension in VS Code itself: it opens, sees, applies, and sees it gone. */
import * as assert from "node:assert/strict";
import * as path from "node:path";

import * as vscode from "vscode";

import type { Api } from "../src/extension";
import { isOurs, ruleOf } from "../src/status";
import { SUM } from "../test/project";

const folder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
const file = (name: string) => vscode.Uri.file(path.join(folder(), name));
const codes = (uri: vscode.Uri) => vscode.languages.getDiagnostics(uri).filter(isOurs).map(ruleOf);

async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + 40_000;
  while (!holds()) {
    assert.ok(Date.now() < end, `it never came true: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

async function actions(uri: vscode.Uri, range: vscode.Range, kind?: string): Promise<vscode.CodeAction[]> {
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range, kind, 20);
}

function shown(kind: string): boolean {
  const inputs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.input);
  return inputs.some((input) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(kind));
}

describe("mllint in VS Code", () => {
  let api: Api;

  before(async () => {
    const extension = vscode.extensions.getExtension<Api>("mllint.mllint");
    assert.ok(extension, "the extension is not installed");
    api = await extension.activate();
    assert.equal(api.state().kind, "running", JSON.stringify(api.state()));
  });

  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  it("opens, sees, applies, and sees it gone", async () => {
    const document = await vscode.workspace.openTextDocument(file("sum.py"));
    await vscode.window.showTextDocument(document);
    await until("a finding", () => codes(document.uri).includes("loss-keeps-graph"));
    const [item] = vscode.languages.getDiagnostics(document.uri).filter(isOurs);
    assert.ok(item);
    const offered = await actions(document.uri, item.range);
    assert.ok(offered.some((action) => action.title === "Explain loss-keeps-graph"));
    const fix = offered.find((action) => action.title.includes(".item()"));
    assert.ok(fix?.edit, offered.map((action) => action.title).join("; "));
    await vscode.workspace.applyEdit(fix.edit);
    assert.equal(document.getText(), SUM.replace("+= loss ", "+= loss.item() "));
    await until("no finding", () => codes(document.uri).length === 0);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("applies the safe fixes on saving", async () => {
    const settings = vscode.workspace.getConfiguration("editor");
    await settings.update("codeActionsOnSave", { "source.fixAll.mllint": "explicit" }, vscode.ConfigurationTarget.Workspace);
    const document = await vscode.workspace.openTextDocument(file("sum.py"));
    const editor = await vscode.window.showTextDocument(document);
    await until("a finding", () => codes(document.uri).includes("loss-keeps-graph"));
    for (let tries = 0; tries < 10 && !document.getText().includes("loss.item()"); tries++) {
      await editor.edit((edit) => { edit.insert(new vscode.Position(0, 0), "# edited\n"); });
      await until("a finding", () => codes(document.uri).length > 0);
      await document.save(); // VS Code saves without what takes too long
    }
    assert.ok(document.getText().includes("loss.item()"));
    await settings.update("codeActionsOnSave", undefined, vscode.ConfigurationTarget.Workspace);
  });

  it("finds across files", async () => {
    const document = await vscode.workspace.openTextDocument(file("train.py"));
    await vscode.window.showTextDocument(document);
    await until("a finding", () => codes(document.uri).includes("double-softmax"));
    const [item] = vscode.languages.getDiagnostics(document.uri).filter(isOurs);
    assert.ok(item?.relatedInformation?.some((place) => place.location.uri.path.endsWith("/model.py")));
    const settings = vscode.workspace.getConfiguration("mllint");
    await settings.update("ignore", ["double-softmax"], vscode.ConfigurationTarget.Workspace);
    await until("what is ignored is gone", () => codes(document.uri).length === 0);
    await settings.update("ignore", undefined, vscode.ConfigurationTarget.Workspace);
    await until("it is there again", () => codes(document.uri).length === 1);
  });

  it("fixes a cell of a notebook", async () => {
    const notebook = await vscode.workspace.openNotebookDocument(file("sum.ipynb"));
    await vscode.window.showNotebookDocument(notebook);
    const { document } = notebook.cellAt(1);
    await until("a finding in a cell", () => codes(document.uri).includes("loss-keeps-graph"));
    const [item] = vscode.languages.getDiagnostics(document.uri).filter(isOurs);
    assert.ok(item);
    const fix = (await actions(document.uri, item.range)).find((action) => action.title.includes(".item()"));
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);
    await until("no finding", () => codes(document.uri).length === 0);
    assert.ok(document.getText().includes("loss.item()"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("shows the training loop and the page of a rule beside the code", async () => {
    const document = await vscode.workspace.openTextDocument(file("train.py"));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("mllint.showTrace");
    await until("the picture", () => shown("mllint.trace"));
    await vscode.commands.executeCommand("mllint.explainRule", "double-softmax");
    await until("the page", () => shown("mllint.rule"));
  });

  it("starts the server anew, and stops it where it is switched off", async () => {
    const document = await vscode.workspace.openTextDocument(file("train.py"));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("mllint.restart");
    assert.equal(api.state().kind, "running");
    await until("a finding", () => codes(document.uri).length === 1);
    const settings = vscode.workspace.getConfiguration("mllint");
    await settings.update("enable", false, vscode.ConfigurationTarget.Workspace);
    await until("it is off, and nothing is shown", () => api.state().kind === "off" && codes(document.uri).length === 0);
    await settings.update("enable", undefined, vscode.ConfigurationTarget.Workspace);
    await until("it runs again", () => api.state().kind === "running");
  });
});
