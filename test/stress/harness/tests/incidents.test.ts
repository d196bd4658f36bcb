import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FaultyEngine } from "../../../support/engines/faults.ts";
import { History } from "../history.ts";
import { EngineFaults, type Incident, Incidents } from "../incidents.ts";

const key = "ORDER-1/1";
const CUT: Incident = { name: "engine cut", at: "begun", act: "engine", fault: "cut" };
const never = new Promise<never>(() => {});

/** An incident whose process has just stopped for it. */
function happen(incident: Incident, inject: FaultyEngine["inject"], kill = async () => {}) {
  const history = new History();
  const told: object[] = [];
  const incidents = new Incidents({
    ...{ history, faults: new EngineFaults(history, { faults: ["cut"], inject }) },
    ...{
      planned: () => incident,
      isUntil: (_, __, event: { what: string }) => event.what === "killed",
    },
    ...{ kill, goOn: (_: string, what = {}) => void told.push(what) },
  });
  const stop = (who = "worker 1") => history.note(who, { what: "asleep", key, point: "begun" });
  stop();
  return { history, incidents, told, stop };
}

const well = async () => ({ over: Promise.resolve() });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the incidents of a campaign", () => {
  test("are over when the engine is well and the process has gone on", async () => {
    const { incidents, history, told } = happen(CUT, well);
    await incidents.idle();
    expect(told).toEqual([{}]);
    expect(incidents.standing).toBe(0);
    expect(history.all("incident")).toMatchObject([{ name: "engine cut", to: "worker 1" }]);
  });

  test("happen once: the next process just goes on", async () => {
    const { incidents, history, told, stop } = happen(
      { name: "clock", at: "begun", act: "clock", offsetMs: 5_000 },
      well,
    );
    await incidents.idle();
    stop("worker 2");
    await incidents.idle();
    expect(told).toEqual([{ offsetMs: 5_000 }, {}]);
    expect(history.all("incident").length).toBe(1);
  });

  test("keep a process asleep until another one went on, not its own", async () => {
    vi.useRealTimers();
    const slept = { name: "slept", at: "begun", act: "sleep", ms: 1, until: "killed" } as const;
    const { history, incidents, told } = happen(slept, well);
    history.note("worker 1", { what: "killed" });
    const other = new Promise((resolve) => setTimeout(resolve, 50)).then(() => {
      expect(told).toEqual([]);
      history.note("worker 2", { what: "killed" });
    });
    await Promise.all([other, incidents.idle()]);
    expect(told).toEqual([{}]);
  });

  test.for([
    ["does not get the fault", () => never, "the engine to be cut"],
    [
      "does not get well again",
      async () => ({ over: never }),
      "the engine to be well after it was cut",
    ],
  ] as const)("fail if the engine %s", async ([, inject, what]) => {
    const failure = expect(happen(CUT, inject).incidents.failed).rejects.toThrow(
      `The campaign stands still. It waited 300 s for ${what}.`,
    );
    await vi.advanceTimersByTimeAsync(300_000);
    await failure;
  });

  test("do not count if a fault cannot be injected, so that more are planned", async () => {
    const { incidents, history } = happen(CUT, () => Promise.reject(new Error("no connection")));
    await incidents.idle();
    expect(history.all("incident")).toEqual([]);
    expect(history.all("engine_failed")).toMatchObject([{ error: "Error: no connection" }]);
  });

  test("are named if they do not end", async () => {
    const killed: Incident = { name: "killed at begun", at: "begun", act: "kill" };
    const { incidents } = happen(killed, well, () => never);
    const failure = expect(incidents.idle()).rejects.toThrow(
      "for incidents to end: killed at begun of ORDER-1/1 in worker 1.",
    );
    await vi.advanceTimersByTimeAsync(300_000);
    await failure;
  });
});
