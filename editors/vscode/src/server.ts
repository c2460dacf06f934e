/** The server of a window: it is started, started anew, and stopped; somebody is told how it fares. */
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { findServer, type Start } from "./command";
import { activeInterpreter } from "./python";
import { forServer } from "./settings";

/** How the server fares. */
export type State =
  | { readonly kind: "starting" | "off" }
  | { readonly kind: "running"; readonly version: string; readonly from: string }
  | { readonly kind: "failed"; readonly reason: string };

const SELECTOR = [
  { language: "python", scheme: "file" },
  { language: "python", scheme: "untitled" },
  { language: "python", scheme: "vscode-notebook-cell" },
  { pattern: "**/{pyproject,mllint,.mllint}.toml", scheme: "file" },
];

/** The server, and the client that talks to it. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly changed = new vscode.EventEmitter<State>();

  /** Tells each new state. */
  readonly onDidChangeState = this.changed.event;

  constructor(
    private readonly extension: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Starts it, or stops it first where it runs; who asks in the meantime waits for the same end. */
  restart(): Promise<void> {
    this.turn = this.turn.then(() => this.started());
    return this.turn;
  }

  /** Has the server do something by name; undefined if it does not run. */
  async ask(command: string, ...given: string[]): Promise<unknown> {
    await this.turn;
    return this.client?.sendRequest("workspace/executeCommand", { command, arguments: given });
  }

  async stop(): Promise<void> {
    const running = this.client;
    this.client = undefined;
    try {
      await running?.dispose();
    } catch (error) {
      this.log.warn(`The server did not end by itself: ${String(error)}`);
    }
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async started(): Promise<void> {
    await this.stop();
    if (!settings().get<boolean>("enable", true)) {
      this.changed.fire({ kind: "off" });
      return;
    }
    this.changed.fire({ kind: "starting" });
    try {
      const start = await findServer(await this.wishes());
      this.log.info(`Starts ${[start.command, ...start.args].join(" ")} (${start.from})`);
      this.client = this.connected(start);
      await this.client.start();
      const version = this.client.initializeResult?.serverInfo?.version ?? "";
      this.changed.fire({ kind: "running", version, from: start.from });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error(reason);
      this.changed.fire({ kind: "failed", reason });
    }
  }

  private async wishes() {
    const chosen = settings();
    const folder = this.extension.extensionPath;
    return {
      path: chosen.get<string[]>("path", []),
      interpreter: chosen.get<string>("interpreter", ""),
      importStrategy: chosen.get<string>("importStrategy", "fromEnvironment"),
      active: await activeInterpreter(),
      bundled: path.join(folder, "bundled"),
      folder,
    };
  }

  private connected(start: Start): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      initializationOptions: forServer(settings()),
      outputChannel: this.log,
      middleware: {
        workspace: {
          configuration: async (asked, token, next) => {
            const answers = await next(asked, token);
            return Array.isArray(answers) ? answers.map(forServer) : answers;
          },
          didChangeConfiguration: (_, next) => next(undefined), // it asks for what it wants to know
        },
      },
    };
    const run = { command: start.command, args: [...start.args], options: { cwd: start.folder, env: environment(start) } };
    return new LanguageClient("mllint", "mllint", run, options);
  }
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("mllint");
}

function environment(start: Start): NodeJS.ProcessEnv {
  return { ...process.env, ...start.env };
}
