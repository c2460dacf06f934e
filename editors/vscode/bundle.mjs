// Puts mllint and what its server needs into `bundled/`, for environments that have none. Only what is pure Python is
// taken, so that any interpreter from 3.10 on can run it: `npm run bundle`, with `python3` or MLLINT_PYTHON.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const python = process.env.MLLINT_PYTHON ?? "python3";
const here = import.meta.dirname;
const target = path.join(here, "bundled");
const wheels = mkdtempSync(path.join(tmpdir(), "mllint-wheel-"));
const pip = (...args) => execFileSync(python, ["-m", "pip", "--disable-pip-version-check", "--quiet", ...args], { stdio: "inherit" });
const pure = ["--only-binary", ":all:", "--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.10"];
// pip asks what a package needs of the Python that runs it; an older one needs these, too.
const older = ["tomli", "exceptiongroup", "typing-extensions"];

rmSync(target, { recursive: true, force: true });
try {
  pip("wheel", "--no-deps", "--wheel-dir", wheels, path.join(here, "..", ".."));
  const [wheel] = readdirSync(wheels);
  pip("install", "--target", target, "--no-compile", ...pure, `${path.join(wheels, wheel)}[server]`, ...older);
  rmSync(path.join(target, "bin"), { recursive: true, force: true });
} finally {
  rmSync(wheels, { recursive: true, force: true });
}
