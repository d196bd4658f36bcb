import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = new URL("../../../", import.meta.url);
const page = readFileSync(new URL("docs/contributing/inbox.md", ROOT), "utf8");
const folder = fileURLToPath(new URL("src/webhooks/inbox", ROOT));

test("the page on the inbox has a row for each file, with its promise, and no other row", () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, file]) => file);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  expect(rows.sort()).toEqual(files.filter((file) => file.endsWith(".ts")).sort());
});

test("the page on the inbox is short", () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(81);
});
