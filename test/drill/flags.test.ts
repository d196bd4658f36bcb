import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { type DrillOptions, runDrill } from "../../src/drill/drill.ts";
import { exitStatus, reportPromises } from "../../src/drill/report.ts";
import { parseSettings, type RawSettings } from "../../src/drill/settings.ts";
import { malipo } from "../cli/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-drill-flags-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RIGHT = readFileSync(new URL("./shops/right-shop.ts", import.meta.url), "utf8");

/** Writes the right shop with some lines replaced, and returns the command that starts it. */
function shop(name: string, ...changes: readonly (readonly [right: string, other: string])[]) {
  let code = RIGHT;
  for (const [right, other] of changes) {
    expect(code.split(right)).toHaveLength(2);
    code = code.replace(right, () => other);
  }
  writeFileSync(join(folder, `${name}.mjs`), stripTypeScriptTypes(code));
  return `"${process.execPath}" ${join(folder, `${name}.mjs`)}`;
}

const SETTINGS = {
  order: 'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}"}',
  status: "GET /orders/{order}",
  effects: "GET /orders/{order} /shipped",
  quiet: "1s",
  slow: "3s",
  workers: "1",
};

async function drill(raw: RawSettings, options: Partial<DrillOptions> = {}) {
  const listener = { dryRun: () => {}, progress: () => {}, output: () => {}, end: () => {} };
  const settings = parseSettings({ ...SETTINGS, ...raw });
  const result = await runDrill(settings, { listener, ...options });
  const broken = reportPromises(result).flatMap(({ name, state }) =>
    state === "FAILED" ? [name] : [],
  );
  return { result, broken, status: exitStatus(result) };
}

/** The cases without a fault: they run in any drill. */
const DRY = { cases: [] };

describe.concurrent("a drill", { timeout: 120_000 }, () => {
  test("with --double-click orders twice at once, and finds a shop that prompts twice", async () => {
    const start = shop(
      "twice",
      ["if (changes === 1) await ask", "await ask"],
      ["{ idempotencyKey: id }", "{ idempotencyKey: crypto.randomUUID() }"],
    );
    expect(await drill({ start }, DRY)).toMatchObject({ status: 0, broken: [] });
    const twice = await drill({ start, "double-click": true }, DRY);
    expect([twice.status, twice.broken]).toEqual([1, ["one order, at most one prompt"]]);
  });

  test("with --nightly asks the shop for the job that it runs at night", async () => {
    const start = shop(
      "nightly",
      [
        'if (folder === "webhooks") {',
        'if (folder === "jobs") { await look(); response.writeHead(204).end(); return; }\n  if (folder === "webhooks") {',
      ],
      ["setInterval(() => look().catch(() => {}), 500);", ""],
    );
    const { number = 0, ...lost } =
      allCases().find(
        ({ customer, fault }) =>
          customer === "approves" && fault?.subject === "final" && fault.effect.kind === "never",
      ) ?? {};
    const options = { cases: [{ ...lost, number } as never] };
    expect((await drill({ start }, options)).broken).toEqual(["every order ends"]);
    const nightly = await drill({ start, nightly: "POST /jobs/nightly" }, options);
    expect([nightly.status, nightly.broken]).toEqual([0, []]);
  });

  test("with --orders places that many orders with faults, and fails if no fault happens", async () => {
    const raw = { start: shop("many"), orders: "8", seed: "1", quiet: "10s" };
    const { result, status } = await drill(raw, DRY);
    const random = result.results.filter((one) => one.case.isRandom);
    expect([status, random.length, result.cannotJudge]).toEqual([0, 8, []]);
    const forgotten = await drill(raw, { ...DRY, faults: false });
    expect(forgotten.status).toBe(2);
  });

  test("revokes a key in the middle of the day: the service itself returns 401, and a right shop goes on", async () => {
    const revoked = allCases().filter(
      ({ fault }) => fault?.effect.kind === "revoked" && fault.subject === "start",
    );
    const { result, status } = await drill(
      { start: shop("revoked"), quiet: "10s" },
      { cases: revoked },
    );
    const tested = result.results.filter((one) => one.case.fault && one.isTested);
    expect([status, tested.length]).toEqual([0, revoked.length]);
    for (const { story } of tested) {
      const at = story.findIndex(({ text }) => text.startsWith("revoked the key"));
      expect(story[at + 1]?.text).toMatch(/the service returned 401$/);
    }
  });

  test("with --case runs one case and prints what the shop prints; the reports have it alone", async () => {
    const start = shop("loud", ["const params = {", 'console.log("loud");\n  const params = {']);
    const flags = Object.entries({
      ...SETTINGS,
      start,
      case: "41",
      report: "r.html",
      junit: "j.xml",
    }).flatMap(([name, value]) => [`--${name}`, value]);
    const { code, stderr, json } = await malipo(["drill", ...flags, "--json"], { cwd: folder });
    expect([code, json()]).toMatchObject([0, { exit_status: 0, cases: 1 }]);
    expect(stderr).toContain("loud");
    expect(readFileSync(join(folder, "r.html"), "utf8")).toContain('<h1 class="ok">');
    const xml = readFileSync(join(folder, "j.xml"), "utf8");
    expect(xml.match(/<testcase .*/g)).toEqual([expect.stringContaining('name="case 41: ')]);
  });

  test("with --list prints the number of every case, and starts no shop", async () => {
    const { code, stdout } = await malipo(["drill", "--list"], { cwd: folder });
    const numbers = stdout
      .trim()
      .split("\n")
      .map((line) => Number.parseInt(line, 10));
    expect([code, numbers]).toEqual([0, allCases().map(({ number }) => number)]);
    const listed = await malipo(["drill", "--list", "--json"], { cwd: folder });
    expect(listed.json()).toEqual(JSON.parse(JSON.stringify(allCases())));
  });
});
