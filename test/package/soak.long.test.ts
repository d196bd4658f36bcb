import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../stress/main.ts", import.meta.url));

const ENGINE_FAULTS = [
  "engine killed and restarted",
  "engine hung for 1.5 s",
  "all connections cut",
];

const INBOXES = [
  ["sqlite", "transaction", ["file locked for 1.5 s", "file locked for 7 s"]],
  ["bullmq", "idempotency key", ENGINE_FAULTS],
  ["postgres", "transaction", ENGINE_FAULTS],
] as const;

const DRAINED = /^[1-9]\d* {2}processes that drained$/;

/** Each with an inbox, and with what its result has beside the counts of every campaign. */
const MODES = [
  ["drain", "sqlite", DRAINED],
  ["sweep", "sqlite", /^100 {2}never sent, found by a sweep$/],
  // Versions that know other kinds of events take turns, and others drain beside them.
  ["versions", "sqlite", DRAINED],
  ["versions", "bullmq", DRAINED],
  ["versions", "postgres", DRAINED],
] as const;

const SABOTAGES = [
  ["early-end", ["--kills", "0"], "Receiver processes died by themselves."],
  [
    "early-acknowledgement",
    ["--kills", "5", "--idle-ms", "15000"],
    "Acknowledged events were lost.",
  ],
] as const;

const NO_FAULTS = "--no-engine-faults";

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Each campaign by what is special about it: the inbox or the sabotage. */
const runs = new Map<string, Run>();

function soak(name: string, ...args: readonly string[]): Promise<void> {
  // An engine that was given by its address cannot be killed.
  const { REDIS_URL, DATABASE_URL, ...env } = process.env;
  const script = [program, "inboxes", "--events", "300", "--lease-ms", "1500", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, script, { env }, (error, stdout, stderr) => {
      runs.set(name, { status: error === null ? 0 : Number(error.code), stdout, stderr });
      resolve();
    });
  });
}

// Several at once: they mostly wait for leases and faults to end. Not all: each has processes that need the
// machine, too.
beforeAll(async () => {
  await Promise.all([...INBOXES.map(([inbox]) => soak(inbox, "--store", inbox, "--kills", "5"))]);
  await Promise.all([
    ...MODES.map(([mode, inbox]) =>
      soak(`${mode} ${inbox}`, "--store", inbox, "--mode", mode, "--kills", "5", NO_FAULTS),
    ),
  ]);
  await Promise.all(
    SABOTAGES.map(([name, args]) =>
      soak(name, "--store", "sqlite", "--sabotage", name, NO_FAULTS, ...args),
    ),
  );
});

describe("a small campaign of inboxes, of the built package", () => {
  test.for(INBOXES)(
    "loses, invents and repeats nothing when processes are killed and the engine fails: %s",
    ([inbox, once, faults], { skip }) => {
      const { stdout, stderr, status } = runs.get(inbox) as Run;
      // This machine may lack an engine. The campaign says so.
      if (stdout.includes("NOT RUN")) return skip();
      const lines = stdout.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "  "));
      expect(lines.filter(Boolean), stderr).toEqual([
        `${inbox}, start, seed 1`,
        "sent  300",
        "acknowledged  300",
        "orders that stayed open  0",
        "lost  0",
        "invented  0",
        `effects more than once  0  through the ${once}`,
        "processes that died by themselves  0",
        expect.stringMatching(/^deliveries {2}\d+ {2}duplicates and retries included$/),
        expect.stringMatching(/^seconds {2}\d+$/),
        "hard states:",
        "5  processes killed",
        ...faults.map((fault) => `1  ${fault}`),
        "Every promise held.",
      ]);
      expect(status).toBe(0);
    },
  );

  test.for(MODES)(
    "loses and repeats nothing with --mode %s: %s",
    ([mode, inbox, line], { skip }) => {
      const { stdout, stderr, status } = runs.get(`${mode} ${inbox}`) as Run;
      if (stdout.includes("NOT RUN")) return skip();
      const lines = stdout.split("\n").map((text) => text.trim());
      expect(lines, stderr).toContainEqual(expect.stringMatching(/^orders that stayed open +0$/));
      expect(lines).toContainEqual(expect.stringMatching(line));
      expect(lines).toContain("Every promise held.");
      expect(status).toBe(0);
    },
  );

  test.for(SABOTAGES)("fails with a receiver that breaks a promise: %s", ([name, , sentence]) => {
    const { stdout, stderr, status } = runs.get(name) as Run;
    expect(stdout, stderr).toMatch(new RegExp(`^ +BROKEN .*: ${sentence}`, "m"));
    expect(status).toBe(1);
  });
});
