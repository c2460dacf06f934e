/**
 * Which command starts the server? The first of these that runs:
 *
 *     mllint.path                    just this, without a question
 *     the environment's mllint       of `mllint.interpreter`, else of the Python extension, else on the path
 *     the mllint in the extension    pure Python, run by one of the same interpreters
 *
 * Whether a command runs is found out by running it: a server whose input ends at once ends with 0, and with another
 * code where mllint, or what its server needs, is not installed. Nothing here knows VS Code.
 */
import { spawn } from "node:child_process";

/** What somebody wants, and what there is. */
export interface Wishes {
  /** `mllint.path`: the command, and its first arguments. */
  readonly path: readonly string[];
  /** `mllint.interpreter`, empty where nobody has set it. */
  readonly interpreter: string;
  /** `mllint.importStrategy`. */
  readonly importStrategy: string;
  /** The interpreter that the Python extension has chosen for the workspace. */
  readonly active: string | undefined;
  /** The folder of the extension's own mllint; there may be none. */
  readonly bundled: string;
  /** The folder in which the server runs: none of the user's, as Python imports from it. */
  readonly folder: string;
}

/** A command as it is run, and where it comes from, for people. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly from: string;
}

/** No command runs. */
export class NoServer extends Error {
  override readonly name = "NoServer";
}

const SECONDS = 30;

/**
 * Finds the server.
 *
 * @param wishes - what somebody wants.
 * @param runs - whether a command starts a server; tests bring their own.
 * @throws NoServer - with what to do about it.
 */
export async function findServer(wishes: Wishes, runs: (start: Start) => Promise<boolean> = isServer): Promise<Start> {
  const [own, ...first] = wishes.path;
  if (own !== undefined) {
    return { command: own, args: [...first, "server"], env: {}, folder: wishes.folder, from: "mllint.path" };
  }
  for (const start of candidates(wishes)) {
    if (await runs(start)) {
      return start;
    }
  }
  throw new NoServer(
    'No mllint was found. Install it into the environment of the workspace, `pip install "mllint-check[server,fix]"`, ' +
      "or name its command in `mllint.path`.",
  );
}

/** The commands that are worth a try, the one that fits best first. */
export function candidates(wishes: Wishes): Start[] {
  const folder = wishes.folder;
  const pythons = wishes.interpreter ? [wishes.interpreter] : [wishes.active, "python3", "python"].filter(isGiven);
  const run = (command: string, env: Record<string, string>, from: string): Start =>
    ({ command, args: ["-m", "mllint", "server"], env, folder, from });
  const installed = pythons.map((python) => run(python, {}, python));
  const tool: Start = { command: "mllint", args: ["server"], env: {}, folder, from: "mllint on the path" };
  const known = wishes.interpreter || wishes.active ? 1 : 0;
  const environment = wishes.interpreter ? installed : [...installed.slice(0, known), tool, ...installed.slice(known)];
  const bundled = pythons.map((python) => run(python, { PYTHONPATH: wishes.bundled }, `the extension, run by ${python}`));
  return wishes.importStrategy === "useBundled" ? bundled : [...environment, ...bundled];
}

/** Does a command start a server that ends when its input does? */
export function isServer(start: Start): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(start.command, start.args, {
      cwd: start.folder,
      env: { ...process.env, ...start.env },
      stdio: ["pipe", "ignore", "ignore"],
      timeout: SECONDS * 1000,
    });
    child.stdin.on("error", () => undefined); // it may be gone before its input ends
    child.on("error", () => { resolve(false); });
    child.on("exit", (code) => { resolve(code === 0); });
    child.stdin.end();
  });
}

function isGiven(name: string | undefined): name is string {
  return name !== undefined && name !== "";
}
