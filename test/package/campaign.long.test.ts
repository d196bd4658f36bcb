import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prompts } from "../stress/prompts/subject.ts";
import { type CampaignRun, hasNotRun, runCampaign, shareRuns } from "../support/campaign.ts";

const STORES = prompts.engines;
const PAYMENTS = 40;

const campaign = (...args: readonly string[]) => runCampaign("prompts", ...args);

/** The rows of a table: the count and the note beside it. */
function rowsOf({ stdout }: CampaignRun): ReadonlyMap<string, string> {
  const [table = ""] = stdout.split("\n\n");
  const rows = table.matchAll(/^ {2}(\S.*?) {2,}(.*(?:\n {10,}.*)*)$/gm);
  return new Map([...rows].map(([, name = "", rest = ""]) => [name, rest.replace(/\s+/g, " ")]));
}

const folder = mkdtempSync(join(tmpdir(), "malipo-campaign-test-"));
const HISTORY = join(folder, "sqlite.jsonl");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A client without a mechanism. It needs only the faults that the mechanism is for. */
const sabotaged = (name: string, ...args: string[]) =>
  ["--store", "sqlite", "--payments", "20", "--no-clock-steps", "--no-engine-faults"].concat(
    ["--sabotage", name],
    args,
  );

const RUNS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(STORES.map((store) => [store, ["--store", store]])),
  sqlite: ["--store", "sqlite", "--history", HISTORY],
  "no-deadline": sabotaged("no-deadline"),
  "early-resolve": sabotaged("early-resolve", "--no-pauses"),
  "forgetful-store": sabotaged("forgetful-store", "--no-pauses"),
};

const runOf = shareRuns((name) =>
  campaign("--payments", `${PAYMENTS}`, "--workers", "3", ...(RUNS[name] ?? [])),
);

// All at once: they mostly wait for leases to end.
beforeAll(() => {
  for (const name of Object.keys(RUNS)) void runOf(name);
});

describe("a campaign of injected faults", () => {
  test.for(STORES)("keeps every promise: %s", async (store, { skip }) => {
    const run = await runOf(store);
    if (hasNotRun(run)) return skip();
    const { stdout, stderr, status } = run;
    expect(stdout + stderr).toContain("Every promise held.");
    expect(status).toBe(0);
  });

  test.for(STORES)(
    "counts one prompt per key, and no wrong or missing status: %s",
    async (store, { skip }) => {
      const run = await runOf(store);
      if (hasNotRun(run)) return skip();
      const table = rowsOf(run);
      // It sells on until each hard state has come.
      const sold = Number(table.get("orders, one key each"));
      expect(sold).toBeGreaterThanOrEqual(PAYMENTS);
      expect(table.get("prompts")).toBe(`${sold} in the service's own ledger`);
      expect(table.get("most prompts for one key")).toBe("1 at most 1: held");
      const none = ["wrong final statuses", "orders left unknown", "unexpected errors"];
      const early = ["keys begun twice", "sent after the lease", "freed too early"];
      for (const row of [...none, ...early]) expect(table.get(row), row).toBe("0 none: held");
      expect(table.get("seconds to end without faults")).toMatch(/^[\d.]+ in time: held$/);
      const [, completed, failed] =
        /completed (\d+), failed (\d+)/.exec(table.get("final statuses") ?? "") ?? [];
      expect(Number(completed) + Number(failed)).toBe(sold);
    },
  );

  test.for(STORES)("injects faults of every origin: %s", async (store, { skip }) => {
    const run = await runOf(store);
    if (hasNotRun(run)) return skip();
    const table = rowsOf(run);
    const before = /(reset|hang|50\d|408|422|429|latency) [1-9]/;
    expect(table.get("faults before the charge")).toMatch(before);
    expect(table.get("faults after the charge")).toMatch(
      /(lostResponse|truncate|50\d|hang|slow) [1-9]/,
    );
    expect(table.get("webhooks")).toMatch(/(lost|late|duplicated|reordered|failed) [1-9]/);
    // Which of them come is chance on a busy machine: "keeps every promise" has the hard states that must come.
    expect(table.get("incidents inside a call")).toMatch(/paused at .+? [1-9]/);
    expect(table.get("workers killed")).toMatch(store === "memory" ? /^0$/ : /^[1-9]/);
  });

  test("counts the hard states, such as an attempt that woke when its lease was over", async () => {
    const { stdout } = await runOf("sqlite");
    expect(stdout).toMatch(
      /^ +[1-9]\d* {2}lease ran out before the send, and was held back by its deadline$/m,
    );
  });

  test("is checked again from its history", async () => {
    await runOf("sqlite");
    const { status, stdout } = await campaign("--check", HISTORY);
    expect(stdout).toContain("sqlite store, seed 1");
    expect(stdout).toContain("Every promise held.");
    expect(status).toBe(0);
  });

  test("explains its options when one is wrong", async () => {
    const { status, stderr } = await campaign("--store", "oracle");
    expect(status).toBe(1);
    expect(stderr).toContain("--store is oracle.");
    expect(stderr).toContain("npm run campaign -- prompts [options]");
  });
});

describe("a campaign with a client that lacks a mechanism", () => {
  test.for([
    ["no-deadline", /sent_late: \w+-\d+ visitor \d+ sent \d+ ms after it had begun/],
    ["early-resolve", /freed_early: \w+-\d+ worker \d+ resolved it as not sent/],
    ["forgetful-store", /prompts: \w+-\d+ [2-9] prompts/],
  ] as const)("fails, and says what broke: %s", async ([name, breach]) => {
    const { status, stdout } = await runOf(name);
    expect(stdout).toMatch(breach);
    expect(stdout).toContain("A promise was BROKEN");
    expect(status).toBe(1);
  });
});
