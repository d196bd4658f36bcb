import { expect, test } from "vitest";
import { checkHistory } from "../history/check-history.ts";
import type { Happening, HistoryEvent } from "../history/event.ts";
import { injectedIn } from "../history/injected.ts";
import { type Summary, summaryOf, summaryTable } from "../summary-table.ts";

const eventsOf = (...happenings: readonly Happening[]): HistoryEvent[] =>
  happenings.map((happening, at) => ({ at, who: "worker 1", ...happening }));

const key = "ORDER-1/1";
const HISTORY = eventsOf(
  {
    what: "start",
    store: "redis",
    payments: 1,
    seed: "7",
    pauses: true,
    clockSteps: true,
    engineFaults: ["cut"],
    endWithinMs: 40_000,
  },
  { what: "asleep", key, point: "begun", act: "pause" },
  { what: "asleep", key, point: "begun", act: "engine" },
  { what: "engine", fault: "cut" },
  { what: "clock", offsetMs: 5_000 },
  { what: "killed" },
  { what: "faults_stopped" },
  { what: "clock", offsetMs: 0 },
  { what: "killed" },
  { what: "payment", key, reference: "PAY-1", status: "completed" },
  { what: "payment", key, reference: "PAY-2", status: "completed" },
  {
    what: "order",
    key,
    results: [],
    atEnd: "the time limit was reached",
    unexpected: [],
  },
);

test("what was injected is counted until the faults stopped", () => {
  const injected = { kills: 1, pauses: 1, clockSteps: 1, engineFaults: 1 };
  expect(injectedIn(HISTORY)).toEqual(injected);
  expect(injectedIn(HISTORY.slice(0, 6))).toEqual(injected);
});

test("the summary counts orders with two prompts, and orders without an answer", () => {
  expect(summaryOf(HISTORY, checkHistory(HISTORY))).toMatchObject({
    store: "redis",
    seed: "7",
    payments: 1,
    prompts: 2,
    promptedTwice: 1,
    lost: 1,
  });
});

test("the summary has a row for each store, with the sums of its seeds", () => {
  const some: Summary = {
    store: "redis",
    seed: "2",
    payments: 2_000,
    kills: 80,
    pauses: 40,
    clockSteps: 100,
    engineFaults: 24,
    prompts: 1_990,
    promptedTwice: 0,
    lost: 0,
  };
  const table = summaryTable([some, { ...some, seed: "1" }, { ...some, store: "sqlite" }]);
  expect(table.split("\n").slice(2)).toEqual([
    "| redis | 1, 2 | 4,000 | 160 | 80 | 200 | 48 | 3,980 | 0 | 0 |",
    "| sqlite | 2 | 2,000 | 80 | 40 | 100 | 24 | 1,990 | 0 | 0 |",
  ]);
});
