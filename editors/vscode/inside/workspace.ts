/** The folder in which the tests inside VS Code work: the project of the other tests, made anew, with its settings. */
import { mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";

import { makeProject, removeProject } from "../test/project";

export { removeProject };

/** A folder for VS Code to open; the caller removes it. */
export function makeWorkspace(): string {
  const folder = makeProject();
  const settings = { "mllint.interpreter": process.env["MLLINT_PYTHON"] ?? "python3" };
  mkdirSync(path.join(folder, ".vscode"));
  writeFileSync(path.join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
  return folder;
}
