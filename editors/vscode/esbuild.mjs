// Makes one file of the extension, `dist/extension.js`; with `--inside` also the tests that run inside VS Code.
import { build } from "esbuild";

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", sourcemap: true };
await build({
  ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", external: ["vscode"], minify: true,
});
if (process.argv.includes("--inside")) {
  await build({ ...common, entryPoints: ["inside/suite.ts", "inside/index.ts", "inside/workspace.ts"], outdir: "dist/inside", external: ["vscode", "mocha"] });
}
