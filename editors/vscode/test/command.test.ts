import * as assert from "node:assert/strict";

import { candidates, findServer, isServer, NoServer, type Start, type Wishes } from "../src/command";

const WISHES: Wishes = {
  path: [], interpreter: "", importStrategy: "fromEnvironment", active: undefined, bundled: "/ext/bundled", folder: "/ext",
};
const written = (start: Start) => [...Object.keys(start.env), start.command, ...start.args].join(" ");

describe("the command that starts the server", () => {
  it("is what somebody names, without a question", async () => {
    const start = await findServer({ ...WISHES, path: ["uv", "run", "mllint"] }, () => Promise.resolve(false));
    assert.equal(written(start), "uv run mllint server");
  });

  it("is that of the environment, then one on the path, then the extension's own", () => {
    assert.deepEqual(candidates({ ...WISHES, active: "/env/bin/python" }).map(written), [
      "/env/bin/python -m mllint server",
      "mllint server",
      "python3 -m mllint server",
      "python -m mllint server",
      "PYTHONPATH /env/bin/python -m mllint server",
      "PYTHONPATH python3 -m mllint server",
      "PYTHONPATH python -m mllint server",
    ]);
  });

  it("is run by the interpreter that is set, and by no other", () => {
    const wishes = { ...WISHES, interpreter: "/my/python", active: "/env/bin/python" };
    assert.deepEqual(new Set(candidates(wishes).map((start) => start.command)), new Set(["/my/python"]));
  });

  it("is the extension's own where that is wished", () => {
    const starts = candidates({ ...WISHES, importStrategy: "useBundled" });
    assert.ok(starts.every((start) => start.env["PYTHONPATH"] === "/ext/bundled"));
  });

  it("is the first that runs", async () => {
    const start = await findServer(WISHES, (one) => Promise.resolve(one.command === "python"));
    assert.equal(written(start), "python -m mllint server");
  });

  it("says what to do where none runs", async () => {
    await assert.rejects(findServer(WISHES, () => Promise.resolve(false)), (error) =>
      error instanceof NoServer && error.message.includes("pip install"));
  });

  it("is no server where it ends with an error, or is not there", async () => {
    const start = { args: [], env: {}, folder: process.cwd(), from: "" };
    assert.equal(await isServer({ ...start, command: process.execPath, args: ["-e", "process.exit(2)"] }), false);
    assert.equal(await isServer({ ...start, command: "/no/such/command" }), false);
    assert.equal(await isServer({ ...start, command: process.execPath, args: ["-e", ""] }), true);
  });
});
