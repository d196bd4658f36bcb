import { expect, test } from "vitest";
import { historyOutcome } from "../history/check-history.ts";
import type { Happening, HistoryEvent } from "../history/event.ts";
import { injectedIn } from "../history/injected.ts";

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
    kills: 1,
  },
  { what: "incident", key, name: "paused at begun", to: "worker 1", from: 0 },
  { what: "incident", key, name: "engine cut at begun", to: "worker 1", from: 0 },
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

test("the result counts orders with two prompts, and orders without an answer", () => {
  const { rows } = historyOutcome(HISTORY);
  expect(rows).toContainEqual(["orders with two prompts", 1, "none: BROKEN"]);
  expect(rows).toContainEqual(["orders left unknown", 1, "none: BROKEN"]);
  expect(rows).toContainEqual(["engine faults", 1]);
});
