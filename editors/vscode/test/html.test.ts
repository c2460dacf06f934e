import * as assert from "node:assert/strict";

import { clicked, escaped, sentencePage, target, tracePage } from "../src/html";

describe("the pages of the panels", () => {
  it("run only their own script", () => {
    const page = tracePage("<svg></svg>");
    const nonce = /script-src 'nonce-(\w{32})'/.exec(page)?.[1];
    assert.ok(nonce !== undefined && page.includes(`<script nonce="${nonce}">`) && page.includes("default-src 'none'"));
    assert.notEqual(page, tracePage("<svg></svg>"), "a nonce is used once");
    assert.ok(!sentencePage("none").includes("<script"));
  });

  it("show what a stranger's file says as text", () => {
    assert.equal(escaped(`<img src='x' onerror="y">&`), "&#60;img src=&#39;x&#39; onerror=&#34;y&#34;&#62;&#38;");
    assert.ok(sentencePage("<b>").includes("&#60;b&#62;"));
  });

  it("lead to a line, or to a cell and a line", () => {
    assert.deepEqual(target("12"), { cell: undefined, line: 11 });
    assert.deepEqual(target("cell 3:1"), { cell: 2, line: 0 });
    assert.equal(target("elsewhere"), undefined);
  });

  it("take nothing but a row for a row", () => {
    assert.deepEqual(clicked({ path: "a.py", place: "1" }), { path: "a.py", place: "1" });
    for (const message of [undefined, null, "a.py", { path: "a.py" }, { path: "a.py", place: 1 }]) {
      assert.equal(clicked(message), undefined);
    }
  });
});
