import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readHistories, saveHistory } from "../../harness/history.ts";
import { breachesAtEnd } from "../history/check-ends.ts";
import { breachesInEvents } from "../history/check-events.ts";
import { judge } from "../history/check-history.ts";
import { hardStatesIn, lackingOrders } from "../history/hard-states.ts";
import type { Happening, HistoryEvent } from "../messages.ts";
import { endWithinMs, LEASE_MS } from "../time-limits.ts";

const OPTIONS = {
  ...{ payments: 1, kills: 1, workers: 4, pauses: true },
  ...{ "clock-steps": true, "engine-faults": true },
};
const START = {
  what: "start",
  ...({ subject: "prompts", engine: "sqlite", seed: "1", options: OPTIONS } as const),
  engineFaults: ["hung"],
} as const;
/** How long the last phase may take, in seconds. */
const END_S = endWithinMs(1) / 1_000;
const key = "ORDER-1/1";
const result = { reference: "PAY-1", status: "completed" };
const END: readonly Happening[] = [
  { what: "order", key, results: [result], atEnd: result, unexpected: [] },
  { what: "payment", key, ...result },
];

const DAYS_31_MS = 31 * 24 * 3_600_000;

type Step = readonly [seconds: number, who: string, happening: Happening];

const begun = (attempt: string, askedAt = 1_000) =>
  ({ what: "begun", key, attempt, leaseMs: LEASE_MS, askedAt }) as const;
const sending = (attempt: string) => ({ what: "sending", key, attempt }) as const;
const forgetting = (attempt: string) => ({ what: "forgetting", key, attempt }) as const;
const finishing = (attempt: string, state: string) =>
  ({ what: "finishing", key, attempt, state }) as const;
const resolved = (state = "resolved") =>
  [
    { what: "resolving", key, outcome: "not_sent" },
    { what: "resolved", key, outcome: "not_sent", state },
  ] as const;

/** A history of these steps, between its first line and its end. */
function historyOf(steps: readonly Step[], start: Happening = START): HistoryEvent[] {
  const first: Step = [0, "campaign", start];
  const last = END.map((happening): Step => [1_000, "shop", happening]);
  return [first, ...steps, ...last].map(([seconds, who, happening]) => ({
    at: seconds * 1_000,
    who,
    ...happening,
  }));
}

const kindsIn = (steps: readonly Step[]) => {
  const events = historyOf(steps);
  return [...breachesAtEnd(events), ...breachesInEvents(events)].map(({ kind }) => kind);
};

/** A is paused between begin and send. B frees the key and prompts. */
const PAUSED: readonly Step[] = [
  [1, "worker 1", begun("A")],
  [1, "worker 1", { what: "asleep", key, attempt: "A", point: "begun" }],
  [18, "worker 2", resolved()[0]],
  [18.1, "worker 2", resolved()[1]],
  [18.2, "worker 2", begun("B", 18_200)],
  [18.2, "worker 2", sending("B")],
  [18.3, "service", { what: "prompt", key, reference: "PAY-1" }],
  [18.4, "worker 2", finishing("B", "succeeded")],
  [19, "worker 1", { what: "awake", key, attempt: "A" }],
];

describe("the check of a history", () => {
  test("finds nothing wrong when the attempt that slept does not send", () => {
    expect(kindsIn([...PAUSED, [19, "worker 1", forgetting("A")]])).toEqual([]);
  });

  test("finds a request that left after the lease, also if no prompt followed", () => {
    expect(kindsIn([...PAUSED, [19, "worker 1", sending("A")]])).toEqual(["sent_late"]);
  });

  test("finds an attempt that was freed while its request could arrive", () => {
    const early: Step[] = [
      [1, "worker 1", begun("A")],
      [2, "worker 1", sending("A")],
      [3, "worker 1", finishing("A", "unknown")],
      [4, "worker 2", resolved()[0]],
      [4, "worker 2", resolved()[1]],
    ];
    expect(kindsIn(early)).toEqual(["freed_early"]);
    expect(kindsIn(early.with(-1, [4, "worker 2", resolved("too_early")[1]]))).toEqual([]);
  });

  test("finds a key that was begun twice, and not one that was freed in between", () => {
    const first: Step = [1, "worker 1", begun("A")];
    const second: Step = [3, "worker 2", begun("B")];
    expect(kindsIn([first, second])).toEqual(["begun_twice"]);
    expect(kindsIn([first, [2, "worker 1", forgetting("A")], second])).toEqual([]);
  });

  test("finds a last phase that took too long, or never ended", () => {
    const stopped: Step = [10, "campaign", { what: "faults_stopped" }];
    expect(kindsIn([stopped, [10 + END_S, "campaign", { what: "all_ended" }]])).toEqual([]);
    expect(kindsIn([stopped, [11 + END_S, "campaign", { what: "all_ended" }]])).toEqual([
      "ended_late",
    ]);
    expect(kindsIn([stopped])).toEqual(["ended_late"]);
  });

  test("finds an attempt that has not ended", () => {
    expect(kindsIn([[900, "store", { what: "open", key }]])).toEqual(["unknown"]);
  });

  test("finds an unexpected error of a worker", () => {
    expect(kindsIn([[1, "worker 1", { what: "unexpected", error: "Error: no" }]])).toEqual([
      "unexpected",
    ]);
  });

  test("finds each hard state that never came, and the orders that lead to it", () => {
    const events = historyOf([]);
    expect(judge(events).breaches).toContainEqual({
      ...{ kind: "never", order: "", what: "resolved while another slept" },
    });
    expect(lackingOrders(events)).toContainEqual({
      incident: "paused at begun until another went on",
    });
  });
});

describe("the hard states of a history", () => {
  /** The names of those that occurred. */
  const met = (steps: readonly Step[]) =>
    hardStatesIn(
      historyOf(steps, { ...START, engine: "postgres", engineFaults: ["hung", "killed"] }),
    )
      .filter(([, count]) => count > 0)
      .map(([name]) => name);

  test("are those of an attempt that slept until its key had been paid", () => {
    expect(met([...PAUSED, [19, "worker 1", forgetting("A")]])).toEqual([
      "lease ran out before the send, and was held back by its deadline",
      "resolved while another slept",
      "woke after another had prompted",
    ]);
  });

  test.each<[string, Step[]]>([
    [
      "woke before its lease ended, and was held back by its deadline",
      [
        [1, "worker 1", { what: "asleep", key, attempt: "A", point: "begun" }],
        [10, "worker 1", { what: "awake", key, attempt: "A" }],
        [10, "worker 1", forgetting("A")],
      ],
    ],
    [
      "lease ran out after the prompt",
      [
        [2, "worker 1", sending("A")],
        [14, "worker 2", { what: "seen_unknown", key, attempt: "B", holder: "A" }],
      ],
    ],
    [
      "held back by its deadline before a retry",
      [
        [1, "worker 1", sending("A")],
        [2, "worker 1", { what: "asleep", key, attempt: "A", point: "retry" }],
        [10, "worker 1", { what: "awake", key, attempt: "A" }],
        [10, "worker 1", forgetting("A")],
      ],
    ],
    ["joined another's attempt", [[2, "worker 2", { what: "joined", key, attempt: "B" }]]],
    [
      "engine hung between begin and send",
      [
        [2, "engine", { what: "engine", fault: "hung" }],
        [3, "worker 1", sending("A")],
      ],
    ],
    [
      "clock stepped back inside an attempt",
      [
        [2, "worker 1", { what: "clock", offsetMs: -5_000 }],
        [3, "worker 1", forgetting("A")],
      ],
    ],
    ["resolve as not sent rejected as too early", [[2, "worker 2", resolved("too_early")[1]]]],
    ...(["ahead", "behind"] as const).map((name): [string, Step[]] => [
      `key used again after a call with a clock days ${name}`,
      [
        [2, "worker 1", finishing("A", "succeeded")],
        [3, "worker 2", { what: "clock", offsetMs: name === "ahead" ? DAYS_31_MS : -DAYS_31_MS }],
        [4, "worker 2", { ...begun("B", 4_000), key: "ORDER-2/1" }],
        [5, "worker 2", { what: "clock", offsetMs: 0 }],
        [6, "worker 2", { what: "seen_succeeded", key }],
      ],
    ]),
    [
      "key used again after a start with a date days ahead",
      [
        [2, "worker 1", finishing("A", "succeeded")],
        [3, "campaign", { what: "machine_started", offsetMs: DAYS_31_MS }],
        [4, "worker 2", { what: "seen_succeeded", key }],
      ],
    ],
    [
      "key used again after a start with a date days behind",
      [
        [0.5, "campaign", { what: "machine_started", offsetMs: -DAYS_31_MS }],
        [2, "worker 1", finishing("A", "succeeded")],
        [3, "campaign", { what: "clocks_right" }],
        [4, "worker 2", { what: "seen_succeeded", key }],
      ],
    ],
    ["process killed between begin and send", [[2, "worker 1", { what: "killed" }]]],
    [
      "process killed after the send",
      [
        [2, "worker 1", sending("A")],
        [3, "worker 1", { what: "killed" }],
      ],
    ],
    [
      "prompt arrived after its attempt had ended as unknown",
      [
        [2, "worker 1", sending("A")],
        [3, "worker 1", finishing("A", "unknown")],
        [5, "service", { what: "prompt", key, reference: "PAY-1" }],
      ],
    ],
    [
      "store failed at the end of an attempt",
      [[2, "worker 1", { what: "store_failed", key, attempt: "A", operation: "finish" }]],
    ],
  ])("are counted: %s", (name, steps) => {
    expect(met([[1, "worker 1", begun("A")], ...steps])).toEqual([name]);
  });

  test("are expected only if the store and the options allow them", () => {
    const expected = (start: Happening) => hardStatesIn(historyOf([], start)).map(([name]) => name);
    const names = expected({
      ...START,
      ...{ engine: "memory", engineFaults: [], options: { ...OPTIONS, pauses: false } },
    });
    expect(names).not.toContain("joined another's attempt");
    expect(names).not.toContain("engine hung between begin and send");
    expect(names).toContain("clock stepped back inside an attempt");
    expect(expected(START).length).toBeGreaterThan(names.length);
  });
});

test("the result counts orders with two prompts, and orders without an answer", () => {
  const happened: Happening[] = [
    { ...START, engine: "redis", engineFaults: ["cut"] },
    { what: "incident", key, name: "paused at begun", to: "worker 1", from: 0 },
    { what: "incident", key, name: "engine cut at begun", to: "worker 1", from: 0 },
    { what: "engine", fault: "cut" },
    { what: "clock", offsetMs: 5_000 },
    { what: "clock", offsetMs: 0 },
    { what: "payment", key, reference: "PAY-1", status: "completed" },
    { what: "payment", key, reference: "PAY-2", status: "completed" },
    { what: "order", key, results: [], atEnd: "the time limit was reached", unexpected: [] },
  ];
  const { rows } = judge(happened.map((one, at) => ({ at, who: "worker 1", ...one })));
  expect(rows).toContainEqual(["orders with two prompts", 1, "none: BROKEN"]);
  expect(rows).toContainEqual(["orders left unknown", 1, "none: BROKEN"]);
  expect(rows).toContainEqual([
    ...["incidents inside a call", "", "engine cut at begun 1, paused at begun 1"],
  ]);
  expect(rows).toContainEqual(["engine faults", 1]);
  expect(rows).toContainEqual(["clock steps", 2]);
});

describe("the file of a history", () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-history-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("holds one history for each store", () => {
    const file = join(folder, "two.jsonl");
    const first = historyOf(PAUSED);
    const second = historyOf([], { ...START, engine: "redis" });
    saveHistory(file, first);
    saveHistory(file, second);
    expect(readHistories(file)).toEqual([first, second]);
  });

  test.each([
    ["no JSON", "nonsense\n", "Line 1 of "],
    ["no event", '{"what":"start","at":1}\n{}\n', "Line 2 of "],
    ["no first line", '{"what":"all_ended","at":1}\n', "Line 1 of "],
    ["nothing", "", "holds no history of a campaign."],
  ])("is rejected if it holds something else: %s", (name, text, message) => {
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, text);
    expect(() => readHistories(file)).toThrow(message);
  });
});
