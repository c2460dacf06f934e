/** A small project with a few findings, and the server that finds them, as the extension would start it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { findServer, type Start } from "../src/command";

export const SUM = `\
import torch.nn.functional as F


def train(model, loader, optimizer):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss  # for the log
    return total / len(loader)
`;
export const MODEL = `\
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return self.layer(x).softmax(-1)
`;
export const TRAIN = `\
import torch
import torch.nn.functional as F
from model import Net

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in torch.load("batches.pt"):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
`;
const CELLS = SUM.split("\n\n\n").map((source) => ({ cell_type: "code", metadata: {}, outputs: [], source }));
export const NOTEBOOK = JSON.stringify({ cells: CELLS, metadata: { language_info: { name: "python" } }, nbformat: 4, nbformat_minor: 4 });

/** A folder with these files; the caller removes it. */
export function makeProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "mllint-"));
  const files = { "sum.py": SUM, "model.py": MODEL, "train.py": TRAIN, "sum.ipynb": NOTEBOOK, "mllint.toml": "" };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The server of the Python that `MLLINT_PYTHON` names, else of the first on the path. */
export async function server(folder: string): Promise<Start> {
  const interpreter = process.env["MLLINT_PYTHON"] ?? "python3";
  return findServer({
    path: [], interpreter, importStrategy: "fromEnvironment", active: undefined, bundled: path.join(folder, "none"), folder,
  });
}
