import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FaultyEngine } from "../../../support/engines/faults.ts";
import { createHistory } from "../history/history.ts";
import type { Incident } from "../incidents/incident.ts";
import { createIncidentRunner } from "../incidents/runner.ts";

const key = "ORDER-1/1";
const CUT: Incident = { at: "begun", act: "engine", fault: "cut" };
const never = new Promise<never>(() => {});

/** A runner of one incident, whose worker has just stopped for it. */
function startRunner(
  incident: Incident,
  inject: FaultyEngine["inject"],
  wake: () => Promise<void> = async () => {},
) {
  const history = createHistory();
  const engine: FaultyEngine = { faults: ["cut"], inject };
  const hands = { wakerOf: () => wake, kill: () => {} };
  const runner = createIncidentRunner(history, new Map([[key, incident]]), engine, hands);
  history.note("worker 1", { what: "asleep", key, attempt: "A", point: "begun", act: "engine" });
  return runner;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the incidents of a campaign", () => {
  test("are over when the engine is well and the worker is awake", async () => {
    const wake = vi.fn(async () => {});
    const runner = startRunner(CUT, async () => ({ over: Promise.resolve() }), wake);
    await runner.idle();
    expect(wake).toHaveBeenCalledOnce();
    expect(runner.sleeping()).toBe(0);
    expect(runner.counts).toEqual(new Map([["engine cut", 1]]));
  });

  test.for([
    ["does not get the fault", () => never, "the engine to be cut"],
    [
      "does not get well again",
      async () => ({ over: never }),
      "the engine to be well after it was cut",
    ],
  ] as const)("fail if the engine %s", async ([, inject, what]) => {
    const failure = expect(startRunner(CUT, inject).failed).rejects.toThrow(
      `The campaign stands still. It waited 90 s for ${what}.`,
    );
    await vi.advanceTimersByTimeAsync(90_000);
    await failure;
  });

  test("fail if a fault cannot be injected", async () => {
    const runner = startRunner(CUT, () => Promise.reject(new Error("no connection")));
    await expect(runner.failed).rejects.toThrow("no connection");
  });

  test("are named if they do not end", async () => {
    const runner = startRunner(
      CUT,
      async () => ({ over: Promise.resolve() }),
      () => never,
    );
    const failure = expect(runner.idle()).rejects.toThrow(
      "for incidents to end: engine cut of ORDER-1/1 in worker 1.",
    );
    await vi.advanceTimersByTimeAsync(300_000);
    await failure;
  });
});
