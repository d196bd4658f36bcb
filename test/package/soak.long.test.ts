import { beforeAll, describe, expect, test } from "vitest";
import { hasNotRun, runCampaign, shareRuns } from "../support/campaign.ts";

const ENGINE_FAULTS = [
  "engine killed and restarted",
  "engine hung for 1.5 s",
  "all connections cut",
];

const INBOXES = [
  ["sqlite", "transaction", ["engine hung for 1.5 s", "file locked for 7 s"]],
  ["redis", "idempotency key", ENGINE_FAULTS],
  ["postgres", "transaction", ENGINE_FAULTS],
  ["mysql", "transaction", ENGINE_FAULTS],
] as const;

const DRAINED = /^[1-9]\d* {2}processes that drained$/;

/** Each with an inbox, and with what its result has beside the counts of every campaign. */
const MODES = [
  ["drain", "sqlite", DRAINED],
  ["sweep", "sqlite", /^100 {2}never sent, found by a sweep$/],
  // Versions that know other kinds of events take turns, and others drain beside them.
  ["versions", "redis", DRAINED],
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

type Soaks = Readonly<Record<string, readonly string[]>>;

/** Each campaign by what is special about it: the inbox or the sabotage. */
const ENGINE_SOAKS: Soaks = Object.fromEntries(
  INBOXES.map(([inbox]) => [inbox, ["--store", inbox, "--kills", "5"]]),
);
const MODE_SOAKS: Soaks = Object.fromEntries(
  MODES.map(([mode, inbox]) => [
    `${mode} ${inbox}`,
    ["--store", inbox, "--mode", mode, "--kills", "5", NO_FAULTS],
  ]),
);
const SABOTAGED_SOAKS: Soaks = Object.fromEntries(
  SABOTAGES.map(([name, args]) => [
    name,
    ["--store", "sqlite", "--sabotage", name, NO_FAULTS, ...args],
  ]),
);
const SOAKS: Soaks = { ...ENGINE_SOAKS, ...MODE_SOAKS, ...SABOTAGED_SOAKS };

const runOf = shareRuns((name) =>
  runCampaign("inboxes", "--events", "300", "--lease-ms", "1500", ...(SOAKS[name] ?? [])),
);

// Several at once: they mostly wait for leases and faults to end. Not all: each has processes that need the
// machine, too.
beforeAll(async () => {
  for (const soaks of [ENGINE_SOAKS, MODE_SOAKS, SABOTAGED_SOAKS]) {
    await Promise.allSettled(Object.keys(soaks).map(runOf));
  }
});

describe("a small campaign of inboxes, of the built package", () => {
  test.for(INBOXES)(
    "loses, invents and repeats nothing when processes are killed and the engine fails: %s",
    async ([inbox, once, faults], { skip }) => {
      const run = await runOf(inbox);
      if (hasNotRun(run)) return skip();
      const { stdout, stderr, status } = run;
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
    async ([mode, inbox, line], { skip }) => {
      const run = await runOf(`${mode} ${inbox}`);
      if (hasNotRun(run)) return skip();
      const { stdout, stderr, status } = run;
      const lines = stdout.split("\n").map((text) => text.trim());
      expect(lines, stderr).toContainEqual(expect.stringMatching(/^orders that stayed open +0$/));
      expect(lines).toContainEqual(expect.stringMatching(line));
      expect(lines).toContain("Every promise held.");
      expect(status).toBe(0);
    },
  );

  test.for(SABOTAGES)(
    "fails with a receiver that breaks a promise: %s",
    async ([name, , sentence]) => {
      const { stdout, stderr, status } = await runOf(name);
      expect(stdout, stderr).toMatch(new RegExp(`^ +BROKEN .*: ${sentence}`, "m"));
      expect(status).toBe(1);
    },
  );
});
