/** The item in the status bar: does the server run, and how much has it found? A click shows what can be done. */
import * as vscode from "vscode";

import type { State } from "./server";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("mllint", vscode.StatusBarAlignment.Right, 90);
  private state: State = { kind: "off" };

  constructor() {
    this.item.name = "mllint";
    this.item.command = "mllint.menu";
    this.draw();
    this.item.show();
  }

  /** Shows a new state. */
  show(state: State): void {
    this.state = state;
    this.draw();
  }

  /** Counts again what is found. */
  draw(): void {
    const [icon, tooltip] = this.said();
    const count = found().length;
    this.item.text = `$(${icon}) mllint${this.state.kind === "running" && count ? `: ${count}` : ""}`;
    this.item.tooltip = tooltip;
    const colour = this.state.kind === "failed" ? "statusBarItem.errorBackground" : "";
    this.item.backgroundColor = colour ? new vscode.ThemeColor(colour) : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }

  private said(): [string, string] {
    switch (this.state.kind) {
      case "running":
        return ["pulse", `mllint ${this.state.version}, from ${this.state.from}: ${found().length} findings`];
      case "failed":
        return ["error", this.state.reason];
      case "starting":
        return ["sync~spin", "mllint is starting"];
      case "off":
        return ["circle-slash", "mllint is switched off by `mllint.enable`"];
    }
  }
}

/** All that mllint has found. */
export function found(): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics().flatMap(([, items]) => items.filter(isOurs));
}

/** Is a diagnostic one of ours? */
export function isOurs(item: vscode.Diagnostic): boolean {
  return item.source === "mllint";
}

/** The rule of a diagnostic of ours. */
export function ruleOf(item: vscode.Diagnostic): string {
  return String(typeof item.code === "object" ? item.code.value : (item.code ?? ""));
}
