// Runs the tests inside a VS Code whose window is a browser without a screen, where no other VS Code can be had: the
// server of VS Code (or of code-server) runs the extension, a Chromium shows it.
//
//     VSCODE_SERVER=.../code-server/lib/vscode/out/server-main.js CHROMIUM=/usr/bin/chromium npm run test:web
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import puppeteer from "puppeteer-core";

import workspace from "../dist/inside/workspace.js";

const PORT = process.env.PORT ?? "8124";
const SECONDS = 240;
const extension = path.resolve(import.meta.dirname, "..");
const folder = workspace.makeWorkspace();
const data = mkdtempSync(path.join(tmpdir(), "mllint-vscode-"));
const report = path.join(data, "report.txt");
writeFileSync(report, "");

const options = ["--host", "127.0.0.1", "--port", PORT, "--without-connection-token", "--accept-server-license-terms"];
const server = spawn(process.execPath, [process.env.VSCODE_SERVER, ...options, "--server-data-dir", data], {
  env: { ...process.env, MLLINT_REPORT: report }, stdio: "ignore",
});
let browser;
let result;
try {
  await reachable(`http://127.0.0.1:${PORT}/`);
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const ended = new Promise((resolve) => {
    void page.exposeFunction("codeAutomationExit", (result) => { resolve(result); });
    void page.exposeFunction("codeAutomationLog", () => undefined);
    setTimeout(() => { resolve("it took too long"); }, SECONDS * 1000);
  });
  const remote = (where) => `vscode-remote://127.0.0.1:${PORT}${where}`;
  const payload = [
    ["extensionDevelopmentPath", remote(extension)],
    ["extensionTestsPath", remote(path.join(extension, "dist", "inside", "index.js"))],
    ["enableProposedApi", ""],
    ["skipWelcome", "true"],
  ];
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  await page.setViewport({ width: 1200, height: 800 });
  await page.goto(`http://127.0.0.1:${PORT}/?${query.toString()}`);
  result = await ended;
  console.log(readFileSync(report, "utf8"));
  console.log(`ended with ${String(result)}`);
  if (process.env.SCREENSHOT) {
    await page.screenshot({ path: process.env.SCREENSHOT });
  }
} finally {
  await browser?.close();
  server.kill();
  rmSync(data, { recursive: true, force: true });
  workspace.removeProject(folder);
}
process.exit(result === 0 ? 0 : 1);

async function reachable(address) {
  for (let tries = 0; tries < 600; tries++) {
    try {
      await fetch(address);
      return;
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  }
  throw new Error(`${address} cannot be reached`);
}
