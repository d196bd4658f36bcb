import { expect, test } from "vitest";
import { judge } from "../history/check-history.ts";
import type { Happening, HistoryEvent } from "../messages.ts";

const eventsOf = (...happenings: readonly Happening[]): HistoryEvent[] =>
  happenings.map((happening, at) => ({ at, who: "worker 1", ...happening }));

const key = "ORDER-1/1";
const HISTORY = eventsOf(
  {
    ...{ what: "start", subject: "prompts", engine: "redis", seed: "7", engineFaults: ["cut"] },
    options: { payments: 1, workers: 4, pauses: true, "clock-steps": true, "engine-faults": true },
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

test("the result counts orders with two prompts, and orders without an answer", () => {
  const { rows } = judge(HISTORY);
  expect(rows).toContainEqual(["orders with two prompts", 1, "none: BROKEN"]);
  expect(rows).toContainEqual(["orders left unknown", 1, "none: BROKEN"]);
  expect(rows).toContainEqual([
    ...["incidents inside a call", "", "engine cut at begun 1, paused at begun 1"],
  ]);
  expect(rows).toContainEqual(["engine faults", 1]);
  expect(rows).toContainEqual(["clock steps", 2]);
});
