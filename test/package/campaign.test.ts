import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STORES = ["memory", "sqlite", "redis", "postgres"] as const;
const PAYMENTS = 200;
// Short leases, so that a crash is over sooner.
const ARGS = ["--payments", `${PAYMENTS}`, "--seed", "1", "--store", "all", "--lease", "2500"];

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

// In a process of its own, so that the test runner stays responsive.
const campaign = (...args: string[]): Promise<Run> =>
  new Promise((resolve) => {
    const script = ["test/stress/prompts/main.ts", ...args];
    execFile(process.execPath, script, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

describe("a campaign of injected faults", () => {
  let run: Run;
  /** The rows of a store's table: the count and the note beside it. */
  function tableOf(store: string): ReadonlyMap<string, string> {
    const table = run.stdout.split("\n\n").find((block) => block.startsWith(`${store} store,`));
    const rows = (table ?? "").matchAll(/^ {2}(\S.*?) {2,}(.*(?:\n {10,}.*)*)$/gm);
    return new Map([...rows].map(([, name = "", rest = ""]) => [name, rest.replace(/\s+/g, " ")]));
  }

  beforeAll(async () => {
    run = await campaign(...ARGS);
  }, 600_000);

  test("keeps every promise", () => {
    expect(run.stdout + run.stderr).toContain("Every promise held.");
    expect(run.status).toBe(0);
  });

  test.for(STORES)(
    "counts one prompt per key, and no wrong or missing status: %s",
    (store, { skip }) => {
      // This machine may lack an engine. The campaign says so.
      if (run.stdout.includes(`${store} store: NOT RUN`)) return skip();
      const table = tableOf(store);
      expect(table.get("prompts")).toBe(`${PAYMENTS} in the service's own ledger`);
      expect(table.get("most prompts for one key")).toBe("1 at most 1: held");
      for (const row of ["wrong final statuses", "orders left unknown", "unexpected errors"]) {
        expect(table.get(row), row).toBe("0 none: held");
      }
      const [, completed, failed] =
        /completed (\d+), failed (\d+)/.exec(table.get("final statuses") ?? "") ?? [];
      expect(Number(completed) + Number(failed)).toBe(PAYMENTS);
    },
  );

  test.for(STORES)("injects every kind of fault: %s", (store, { skip }) => {
    if (run.stdout.includes(`${store} store: NOT RUN`)) return skip();
    const table = tableOf(store);
    const counted = (name: string) => new RegExp(`(^|, )${name} [1-9]`);
    const before = "reset hang 500 502 503 504 408 422 429 latency".split(" ");
    const after = "lostResponse truncate 500 504 hang slow".split(" ");
    const webhooks = "lost late duplicated reordered failed".split(" ");
    for (const name of before) expect(table.get("faults before the charge")).toMatch(counted(name));
    for (const name of after) expect(table.get("faults after the charge")).toMatch(counted(name));
    for (const name of webhooks) expect(table.get("webhooks")).toMatch(counted(name));
    expect(table.get("workers killed")).toMatch(store === "memory" ? /^0$/ : /^4 [1-9]/);
  });

  test("explains its options when one is wrong", async () => {
    const { status, stderr } = await campaign("--store", "oracle");
    expect(status).toBe(1);
    expect(stderr).toContain("--store is oracle.");
    expect(stderr).toContain("npm run campaign -- [options]");
  });
});
