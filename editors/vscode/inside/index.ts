/** What VS Code runs to test the extension: `extensionTestsPath`. Its report goes to the file `MLLINT_REPORT`, too. */
import { appendFileSync } from "node:fs";
import * as path from "node:path";

import Mocha from "mocha";

export function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000 });
  mocha.addFile(path.join(__dirname, "suite.js"));
  return new Promise((resolve, reject) => {
    const runner = mocha.run((failures) => {
      say(`${String(failures)} failed\n`);
      if (failures) {
        reject(new Error(`${String(failures)} tests failed`));
      } else {
        resolve();
      }
    });
    runner.on("pass", (test) => { say(`ok ${test.title}\n`); });
    runner.on("fail", (test, error: unknown) => { say(`FAILED ${test.title}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`); });
  });
}

function say(line: string): void {
  const report = process.env["MLLINT_REPORT"];
  if (report !== undefined) {
    appendFileSync(report, line);
  }
}
