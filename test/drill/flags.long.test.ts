import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import type { RawSettings } from "../../src/drill/drill-settings.ts";
import type { DrillOptions } from "../../src/drill/run-drill.ts";
import { installedMalipo } from "../cli/command-line.ts";
import { brokenPromises, drillShop, SETTINGS, shopFolder } from "./shops/drill-shop.ts";

const { folder, write, remove } = shopFolder();
afterAll(remove);

const RIGHT = readFileSync(new URL("./shops/right-shop.ts", import.meta.url), "utf8");

/** Writes the right shop with some lines replaced, and returns the command that starts it. */
function shop(name: string, ...changes: readonly (readonly [right: string, other: string])[]) {
  let code = RIGHT;
  for (const [right, other] of changes) {
    expect(code.split(right)).toHaveLength(2);
    code = code.replace(right, () => other);
  }
  return write(name, code);
}

async function drill(raw: RawSettings, options: Partial<DrillOptions> = {}) {
  const result = await drillShop({ quiet: "1s", ...raw }, undefined, options);
  return { result, broken: brokenPromises(result), status: exitStatus(result) };
}

/** The cases without a fault: they run in any drill. */
const DRY = { cases: allCases().filter(({ group }) => group === "nothing") };

describe.concurrent("a drill", () => {
  test("with --double-click orders twice at once, and finds a shop that prompts twice", async () => {
    const start = shop(
      "twice",
      ['if (result === "added") await ask', "await ask"],
      ["{ idempotencyKey: key }", "{ idempotencyKey: crypto.randomUUID() }"],
    );
    expect(await drill({ start }, DRY)).toMatchObject({ status: 0, broken: [] });
    const prompted = expect.arrayContaining(["one attempt, at most one prompt"]);
    const twice = await drill({ start, "double-click": true }, DRY);
    expect([twice.status, twice.broken]).toEqual([1, prompted]);
    // Some cases click twice in any drill.
    const clicks = allCases().filter(({ act }) => act === "clicks");
    expect(clicks).toHaveLength(2);
    const usual = await drill({ start }, { cases: clicks });
    expect([usual.status, usual.broken]).toEqual([1, prompted]);
    const right = await drill({ start: write("right", RIGHT) }, { cases: clicks });
    expect([right.status, right.broken]).toEqual([0, []]);
  });

  test("with {uuid} tests a shop that takes no other id", async () => {
    const id = "id TEXT PRIMARY KEY";
    const start = shop(
      "uuid",
      [`${id}, phone`, `${id} CHECK (id LIKE '%-%-%-%-%'), phone`],
      ["account_reference: id }", "account_reference: id.slice(-12) }"],
    );
    const usual = await drill({ start }, DRY);
    expect([usual.status, usual.result.obstacles.join()]).toEqual([
      2,
      expect.stringContaining("write {uuid}"),
    ]);
    const settings = JSON.parse(JSON.stringify(SETTINGS).replaceAll("{order}", "{uuid}"));
    const right = await drill({ ...settings, start }, DRY);
    expect([right.status, right.result.obstacles]).toEqual([0, []]);
  });

  test("with --country and --phones finds a shop that takes the money of another country", async () => {
    const country = { country: "UG", phones: "0790" };
    const cases = allCases().filter(({ faults: [fault] }) => fault?.kind === "currency");
    const checks = 'payment.currency === "KES"';
    const right = await drill(
      { start: shop("ugandan", [checks, 'payment.currency === "UGX"']), ...country },
      { cases },
    );
    expect([right.status, right.broken]).toEqual([0, []]);
    const any = await drill({ start: shop("any", [checks, "true"]), ...country }, { cases });
    expect(any.broken).toContain("an order is paid by its own amount and currency only");
    expect(formatResults(any.result)).toMatch(/for the payment PAY-\w+, UGX \d/);
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
        ({ customer, faults }) =>
          customer === "approves" && faults[0]?.subject === "final" && faults[0].kind === "never",
      ) ?? {};
    const options = { cases: [{ ...lost, number } as never] };
    expect((await drill({ start }, options)).broken).toEqual([
      "paid at the service: the shop says paid, and delivers the goods",
      "every order ends",
    ]);
    const nightly = await drill({ start, nightly: "POST /jobs/nightly" }, options);
    expect([nightly.status, nightly.broken]).toEqual([0, []]);
  });

  test.for([
    ["--nightly fails", { nightly: "POST /jobs/none" }, "The nightly job failed", "returned 404"],
    [
      "--effects finds no number",
      { effects: "GET /orders/{order} /typo" },
      "--effects could not",
      "be read",
    ],
    [
      "--effects is a number that counts nothing",
      { effects: "GET /orders/{order} /seat" },
      "--effects reads",
      "/seat?",
    ],
    ["--status finds nothing", { status: "GET /none" }, "--status could not be read", "404"],
    ["no id is found", { status: "GET /orders/{id}", "order-id": "/typo" }, "id was not", "found"],
  ] as const)("fails if %s: it could not test the shop", async ([, raw, ...texts]) => {
    const start = shop(
      "untested",
      [
        "({ id, status, shipped }: Order) => ({ id, status, shipped })",
        "({ id, status, shipped, at }: Order) => ({ id, status, shipped, seat: status === 'paid' ? at % 1e6 : 0 })",
      ],
      [
        'if (request.method === "POST") {',
        'if (folder === "jobs") { response.writeHead(404).end(); return; }\n  if (request.method === "POST") {',
      ],
    );
    const { result, status } = await drill({ start, ...raw }, { cases: [] });
    expect([status, result.results]).toEqual([2, []]);
    for (const text of texts) expect(result.obstacles.join("\n")).toContain(text);
  });

  test("fails if a route rejects what it is for, and says what it answered", async () => {
    const cases = allCases().filter(({ act }) => act === "cancelOpen");
    const raw = { start: shop("no cancel"), cancel: "GET /orders/none" };
    const { result, status, broken } = await drill(raw, { cases });
    expect([status, broken]).toEqual([2, []]);
    expect(result.obstacles.join("\n")).toMatch(
      /did not take what it has a route for in 2 cases, .*: --cancel: GET \/orders\/none gave 404/,
    );
  });

  test("waits for the id that a shop gives, before it cancels or changes the order", async () => {
    const ask = 'if (result === "added") await ask(rows("id = ?", order)[0] as Order);';
    const sleep = "await new Promise((resolve) => setTimeout(resolve, 300));";
    const cases = allCases().filter(({ act }) => /^(?:cancel|update)Meanwhile$/.test(`${act}`));
    const raw = {
      start: shop("late id", [ask, `${ask} ${sleep}`]),
      cancel: "POST /orders/{id}/cancel",
      update: 'PUT /orders/{id} {"amount":{amount}}',
    };
    const { result, status, broken } = await drill(raw, { cases });
    expect([status, broken, result.obstacles]).toEqual([0, [], []]);
    const lines = result.results.flatMap(({ story }) => story.map(({ text }) => text));
    const managed = lines.filter((text) => /^(?:canceled|changed) the order/.test(text));
    expect(managed).toHaveLength(cases.length);
    for (const line of managed) expect(line).toMatch(/ -> 200$/);
  });

  test("fails if the one case that was asked for has a fault that never happened", async () => {
    const start = shop("unread");
    const read = allCases()
      .filter(({ group }) => group === "read")
      .slice(0, 1);
    const { result, status } = await drill({ start }, { cases: read, faults: false });
    expect([status, result.obstacles.join()]).toEqual([
      2,
      expect.stringContaining("No case tested"),
    ]);
  });

  test("with --orders places that many orders with faults, and fails if no fault happens", async () => {
    const raw = { start: shop("many"), orders: "8", seed: "1", quiet: "10s" };
    const { result, status } = await drill(raw, DRY);
    const random = result.results.filter((one) => one.case.isRandom);
    expect([status, random.length, result.obstacles]).toEqual([0, 8, []]);
    const forgotten = await drill(raw, { ...DRY, faults: false });
    expect(forgotten.status).toBe(2);
  });

  test("revokes a key in the middle of the day: the service itself returns 401, and a right shop goes on", async () => {
    const revoked = allCases().filter(
      ({ group, faults }) => group === "prompt" && faults[0]?.kind === "revoked",
    );
    const { result, status } = await drill(
      { start: shop("revoked"), quiet: "10s" },
      { cases: revoked },
    );
    const tested = result.results.filter((one) => one.skipped === undefined);
    expect([status, tested.length]).toEqual([0, revoked.length]);
    for (const { story } of tested) {
      const at = story.findIndex(({ text }) => text.endsWith("the key is revoked"));
      expect(story[at + 1]?.text).toMatch(/the service returned 401$/);
    }
  });

  test("with --case runs one case and prints what the shop prints; the results have only this case", async () => {
    const start = shop("loud", ["const params = {", 'console.log("loud");\n  const params = {']);
    const flags = Object.entries({
      ...SETTINGS,
      quiet: "1s",
      start,
      case: "41",
      report: "r.html",
      junit: "j.xml",
    }).flatMap(([name, value]) => [`--${name}`, value]);
    const { code, stderr, json } = await installedMalipo(["drill", ...flags, "--json"], {
      cwd: folder,
    });
    expect([code, json()]).toMatchObject([0, { exit_status: 0, cases: 1 }]);
    expect(stderr).toContain("loud");
    expect(readFileSync(join(folder, "r.html"), "utf8")).toContain('<h1 class="ok">');
    const xml = readFileSync(join(folder, "j.xml"), "utf8");
    expect(xml.match(/<testcase .*/g)).toEqual([expect.stringContaining('name="case 41: ')]);
  });

  test("with --list prints the number of every case, and starts no shop", async () => {
    const { code, stdout } = await installedMalipo(["drill", "--list"], { cwd: folder });
    const found = [...stdout.matchAll(/^ *(\d+) {2}/gm)].map(([, number]) => Number(number));
    // By their groups, of which a new one has the last numbers.
    const numbers = found.sort((a, b) => a - b);
    expect([code, numbers]).toEqual([0, allCases().map(({ number }) => number)]);
    expect(stdout).toMatch(new RegExp(`^${numbers.length} cases\n`));
    const listed = await installedMalipo(["drill", "--list", "--json"], { cwd: folder });
    expect(listed.json()).toEqual(JSON.parse(JSON.stringify(allCases())));
  });
});
