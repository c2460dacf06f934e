/** The pages of the panels, as HTML. What is shown comes from the server; scripts run by the nonce of a page alone. */
import { randomBytes } from "node:crypto";

const STYLE = `
body { padding: 0 16px 16px; color: var(--vscode-editor-foreground); }
svg text { fill: var(--vscode-editor-foreground); font-family: var(--vscode-editor-font-family, monospace); }
svg .dim { fill: var(--vscode-descriptionForeground); }
svg g[data-place] { cursor: pointer; }
svg g[data-place]:hover text { text-decoration: underline; }
.vscode-dark svg .gradient { fill: #56b4e9; }
.vscode-dark svg .weights { fill: #e69f00; }
pre code { background: none; }
pre { padding: 8px; overflow-x: auto; background: var(--vscode-textCodeBlock-background); }
table { border-collapse: collapse; } td, th { padding: 2px 8px; text-align: left; }
`;
const LEAD = `
const editor = acquireVsCodeApi();
document.addEventListener("click", (event) => {
  const row = event.target.closest("g[data-place]");
  if (row) editor.postMessage({ path: row.dataset.path, place: row.dataset.place });
});
`;

/** A row of the picture that was clicked. */
export interface Clicked {
  readonly path: string;
  readonly place: string;
}

/** Where a row leads to: a 0-based line, in a notebook behind the 0-based number of its cell. */
export interface Target {
  readonly cell: number | undefined;
  readonly line: number;
}

/** The page with the picture of a training loop; its rows tell when they are clicked. */
export function tracePage(svg: string): string {
  return page(svg, LEAD);
}

/** The page of a rule, whose Markdown somebody has made HTML of. */
export function rulePage(html: string): string {
  return page(html, "");
}

/** A page that says one sentence. */
export function sentencePage(text: string): string {
  return page(`<p>${escaped(text)}</p>`, "");
}

/** The text with nothing in it that means anything in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What a page has told, if it is a row. */
export function clicked(message: unknown): Clicked | undefined {
  if (typeof message !== "object" || message === null || !("path" in message) || !("place" in message)) {
    return undefined;
  }
  const { path, place } = message;
  return typeof path === "string" && typeof place === "string" ? { path, place } : undefined;
}

/** The place of a row: `12`, or `cell 3:12`. */
export function target(place: string): Target | undefined {
  const found = /^(?:cell (\d+):)?(\d+)$/.exec(place);
  if (found?.[2] === undefined) {
    return undefined;
  }
  return { cell: found[1] === undefined ? undefined : Number(found[1]) - 1, line: Number(found[2]) - 1 };
}

function page(body: string, script: string): string {
  const nonce = randomBytes(16).toString("hex");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><style>${STYLE}</style></head>
<body>${body}${script && `<script nonce="${nonce}">${script}</script>`}</body>
</html>`;
}
