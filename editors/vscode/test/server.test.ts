/** The real server, by what the extension sends and understands. */
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

import * as lsp from "vscode-languageserver-protocol/node";

import { FOR_SERVER, FOR_START, forServer } from "../src/settings";
import { makeProject, removeProject, server, SUM, TRAIN } from "./project";

const MANIFEST = JSON.parse(readFileSync(path.join(__dirname, "..", "package.json"), "utf8")) as {
  contributes: { configuration: { properties: Record<string, { default: unknown }> } };
};
const CAPABILITIES: lsp.ClientCapabilities = {
  textDocument: {
    diagnostic: {},
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source.fixAll"] } },
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
    },
  },
  workspace: { diagnostics: { refreshSupport: true }, configuration: true, workspaceFolders: true },
};

describe("the server", () => {
  let folder: string;
  let child: ChildProcess;
  let connection: lsp.ProtocolConnection;
  let section: Record<string, unknown> = {};
  let asked: Record<string, unknown> | undefined;
  const complaints: string[] = [];
  const uri = (name: string) => pathToFileURL(path.join(folder, name)).href;

  before(async () => {
    folder = makeProject();
    const start = await server(folder);
    const given = process.env["PYTHONPATH"] === undefined ? {} : { PYTHONPATH: path.resolve(process.env["PYTHONPATH"]) };
    child = spawn(start.command, start.args, { cwd: start.folder, env: { ...process.env, ...given }, stdio: ["pipe", "pipe", "inherit"] });
    assert.ok(child.stdout && child.stdin);
    const streams = [new lsp.StreamMessageReader(child.stdout), new lsp.StreamMessageWriter(child.stdin)] as const;
    connection = lsp.createProtocolConnection(...streams);
    connection.onRequest(lsp.ConfigurationRequest.type, (question) => {
      asked = section;
      return question.items.map(() => forServer(section));
    });
    connection.onRequest(lsp.RegistrationRequest.type, () => undefined);
    connection.onRequest(lsp.DiagnosticRefreshRequest.type, () => undefined);
    connection.onNotification(lsp.ShowMessageNotification.type, (message) => { complaints.push(message.message); });
    connection.listen();
    const workspace = { uri: pathToFileURL(folder).href, name: "project" };
    await connection.sendRequest(lsp.InitializeRequest.type, {
      rootUri: null, // eslint-disable-line @typescript-eslint/no-deprecated -- the protocol wants it all the same
      processId: process.pid, capabilities: CAPABILITIES, workspaceFolders: [workspace],
      initializationOptions: forServer({ path: ["mllint"], trace: { server: "off" } }),
    });
    await connection.sendNotification(lsp.InitializedNotification.type, {});
  });

  after(async () => {
    await connection.sendRequest(lsp.ShutdownRequest.type);
    await connection.sendNotification(lsp.ExitNotification.type);
    connection.dispose();
    child.kill();
    removeProject(folder);
  });

  async function opened(name: string, text: string, version = 1): Promise<void> {
    const textDocument = { uri: uri(name), languageId: "python", version, text };
    await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
  }

  async function found(name: string): Promise<lsp.Diagnostic[]> {
    const report = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri: uri(name) } });
    assert.equal(report.kind, "full");
    return report.items;
  }

  async function offered(name: string, item: lsp.Diagnostic): Promise<lsp.CodeAction[]> {
    const context = { diagnostics: [item] };
    const answer = await connection.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri: uri(name) }, range: item.range, context });
    return (answer ?? []).filter(lsp.CodeAction.is);
  }

  it("finds, fixes by an edit, and finds no more", async () => {
    await opened("sum.py", SUM);
    const [item] = await found("sum.py");
    assert.equal(item?.code, "loss-keeps-graph");
    const [action] = await offered("sum.py", item);
    assert.ok(action);
    const whole = action.edit ? action : await connection.sendRequest(lsp.CodeActionResolveRequest.type, action);
    const edits = whole.edit?.changes?.[uri("sum.py")];
    assert.ok(edits);
    await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri: uri("sum.py"), version: 2 },
      contentChanges: edits.map((edit) => ({ range: edit.range, text: edit.newText })),
    });
    assert.deepEqual(await found("sum.py"), []);
  });

  it("draws the loop of a file, whose rows lead to their lines", async () => {
    await opened("train.py", TRAIN);
    const answer: unknown = await connection.sendRequest("workspace/executeCommand", { command: "mllint.trace", arguments: [uri("train.py")] });
    assert.ok(typeof answer === "object" && answer !== null && "svg" in answer);
    const svg = String(answer.svg);
    assert.ok(svg.startsWith("<svg ") && svg.includes('data-place="10"') && svg.includes("computes gradients"));
  });

  it("has a page for each rule that it lists", async () => {
    const rows: unknown = await connection.sendRequest("workspace/executeCommand", { command: "mllint.rules", arguments: [] });
    assert.ok(Array.isArray(rows) && rows.length > 50);
    const name = String((rows[0] as { name: unknown }).name);
    const page: unknown = await connection.sendRequest("workspace/executeCommand", { command: "mllint.page", arguments: [name] });
    assert.ok(String((page as { text: unknown }).text).startsWith(`# ${name}`));
  });

  it("takes each setting that is meant for it, and hears of no other", async () => {
    const names = Object.keys(MANIFEST.contributes.configuration.properties).map((name) => name.replace("mllint.", ""));
    for (const name of [...FOR_SERVER, ...FOR_START]) {
      assert.ok(names.includes(name), `${name} is no setting of the extension`);
    }
    const codes = async () => (await found("train.py")).map((item) => item.code);
    const told = async (given: Record<string, unknown>) => {
      section = given;
      await connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
      while (asked !== section) {
        await new Promise((resolve) => { setTimeout(resolve, 10); });
      }
    };
    assert.deepEqual(await codes(), ["double-softmax"]);
    const ours = { path: ["mllint"], interpreter: "python3", importStrategy: "useBundled", enable: true, trace: { server: "off" } };
    await told({ ...ours, select: null, extendSelect: ["loss"], ignore: ["double-softmax"], pedantic: false, configuration: "" });
    assert.deepEqual(await codes(), []);
    await told({ ...ours, configuration: "mllint.toml" });
    assert.deepEqual(await codes(), ["double-softmax"]);
    assert.deepEqual(complaints, []);
  });
});
