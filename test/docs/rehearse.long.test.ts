import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PROMISES } from "../../src/drill/promises.ts";
import { installedMalipo } from "../cli/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-rehearse-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the drill reads malipo.drill.json, and writes its results", async () => {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  const code = readFileSync("test/drill/shops/right-shop.ts", "utf8");
  writeFileSync(join(folder, "shop.mjs"), stripTypeScriptTypes(code));
  const settings = {
    start: `${process.execPath} shop.mjs`,
    order: 'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}"}',
    again: "POST /orders/{order}/again",
    status: "GET /orders/{order}",
    effects: "GET /orders/{order} /shipped",
  };
  writeFileSync(join(folder, "malipo.drill.json"), JSON.stringify(settings));
  // One case: a whole drill takes minutes.
  const args = ["drill", "--report", "drill.html", "--case", "41"];
  const { code: status, stdout } = await installedMalipo(args, { cwd: folder });
  expect([status, stdout]).toEqual([0, expect.stringContaining("Every promise holds")]);
  expect(readFileSync(join(folder, "drill.html"), "utf8")).toContain(PROMISES[0]?.name);
});

test("`--init` writes the settings that it asks for", () => {
  // The last answer is for `processes`.
  const answers = `node shop.mjs\nPOST /orders {}\n\nPOST /orders/{id}/pay\nGET /orders/{order}\n${"\n".repeat(10)}2\n`;
  const init = () =>
    spawnSync(process.execPath, ["node_modules/malipo/dist/cli.js", "drill", "--init"], {
      cwd: folder,
      input: answers,
      encoding: "utf8",
    });
  rmSync(join(folder, "malipo.drill.json"), { force: true });
  expect(init().status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "malipo.drill.json"), "utf8"))).toEqual({
    start: "node shop.mjs",
    order: "POST /orders {}",
    pay: "POST /orders/{id}/pay",
    status: "GET /orders/{order}",
    processes: "2",
  });
  expect([init().status, init().stderr]).toEqual([2, expect.stringContaining("exists already")]);
});

test.each([
  ['{"strat":"x"}', 'has no option "strat"'],
  ['{"start":1,"double-click":"yes"}', "double-click must be true or false"],
  ["{", "is not JSON"],
])("a wrong malipo.drill.json %s is named", async (text, message) => {
  writeFileSync(join(folder, "malipo.drill.json"), text);
  const { code, stderr } = await installedMalipo(["drill"], { cwd: folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
