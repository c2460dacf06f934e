/** Which interpreter has the Python extension chosen? It is asked where it is installed, and need not be. */
import * as vscode from "vscode";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  resolveEnvironment(path: { readonly path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

/** The interpreter of the first folder of the workspace; undefined if nobody has chosen one. */
export async function activeInterpreter(): Promise<string | undefined> {
  const environments = await known();
  if (environments === undefined) {
    return undefined;
  }
  const chosen = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const resolved = await environments.resolveEnvironment(chosen);
  return resolved?.executable.uri?.fsPath;
}

/** Calls back when another one is chosen. */
export async function whenChosen(act: () => void): Promise<vscode.Disposable> {
  const environments = await known();
  return environments?.onDidChangeActiveEnvironmentPath(act) ?? new vscode.Disposable(() => undefined);
}

async function known(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  const offered = extension.isActive ? extension.exports : await extension.activate();
  return offered.environments;
}
