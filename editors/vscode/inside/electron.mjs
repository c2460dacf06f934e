// Runs the tests inside a VS Code that is downloaded for it; without a display below `xvfb-run`.
import path from "node:path";
import { runTests } from "@vscode/test-electron";

import workspace from "../dist/inside/workspace.js";

const extension = path.resolve(import.meta.dirname, "..");
const folder = workspace.makeWorkspace();
try {
  await runTests({
    extensionDevelopmentPath: extension,
    extensionTestsPath: path.join(extension, "dist", "inside", "index.js"),
    launchArgs: [folder, "--disable-extensions", "--disable-workspace-trust"],
  });
} finally {
  workspace.removeProject(folder);
}
