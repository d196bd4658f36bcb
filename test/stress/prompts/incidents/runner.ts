import { setTimeout as sleep } from "node:timers/promises";
import type { EngineFault, FaultyEngine } from "../../../support/engines/faults.ts";
import { deferred } from "../deferred.ts";
import { type EventOf, type HistoryEvent, historyTime } from "../history/event.ts";
import type { History } from "../history/history.ts";
import {
  LEASE_MARGIN_MS,
  LEASE_MS,
  MAX_ENGINE_FAULT_MS,
  MAX_INCIDENTS_MS,
  NOT_SENT_AFTER_MS,
} from "../time-limits.ts";
import { waitFor } from "../waits.ts";
import type { Incident, Wake } from "./incident.ts";

/** Wakes and kills the workers that have stopped. */
export interface Hands {
  /** How to wake a process from its present sleep. Does nothing to one that is dead. */
  wakerOf(who: string): () => Promise<void>;
  kill(who: string): void;
}

/** Lets the incidents of a campaign happen. */
export interface IncidentRunner {
  /** Resolves when the attempt of an order has stopped, or `over` has ended. */
  stopped(key: string, over: Promise<unknown>): Promise<void>;
  /** Resolves when every worker is awake and the engine is well. */
  idle(): Promise<void>;
  /** Whether a worker has stopped for the incident of an order. */
  hasHappened(key: string): boolean;
  /** How many workers sleep now. */
  sleeping(): number;
  /** How often each kind of incident happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** Rejects when an incident fails: then the campaign proves nothing. */
  readonly failed: Promise<never>;
}

/** When a worker that slept is woken, from the begin of its attempt. */
const WAKE_AFTER_MS: Readonly<Record<Wake, number>> = {
  past_deadline: LEASE_MS - LEASE_MARGIN_MS + 1_500,
  lease: LEASE_MS + 1_500,
  // Another process wakes it earlier.
  resolved: NOT_SENT_AFTER_MS + 60_000,
};

/** How long a worker still sleeps after another process went on. */
const WAKE_DELAY_MS = 300;

const nameOf = (incident: Incident): string =>
  incident.act === "engine" ? `engine ${incident.fault}` : `${incident.act} at ${incident.at}`;

/** @param incidents - By idempotency key. Each happens once. */
export function createIncidentRunner(
  history: History,
  incidents: ReadonlyMap<string, Incident>,
  engine: FaultyEngine | undefined,
  hands: Hands,
): IncidentRunner {
  const counts = new Map<string, number>();
  const active = new Map<Promise<void>, string>();
  const begunAt = new Map<string, number>();
  const sleepers = new Set<string>();
  const happened = new Set<string>();
  const listeners = new Set<(event: HistoryEvent) => void>();
  let engineIsWell: Promise<void> = Promise.resolve();
  const failed = deferred<never>();
  // A rejection without a waiter is not unhandled.
  failed.promise.catch(() => {});

  /** Resolves with the first event that fits. */
  const next = (fits: (event: HistoryEvent) => boolean) =>
    new Promise<void>((resolve) => {
      const listener = (event: HistoryEvent) => {
        if (!fits(event)) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });

  /** Another process has resolved the attempt. If it was not sent, the customer was prompted by now. */
  async function anotherWentOn({ key, point }: EventOf<"asleep">): Promise<void> {
    await next((event) =>
      point === "response"
        ? event.what === "resolved" && event.key === key && event.state === "resolved"
        : event.what === "prompt" && event.key === key,
    );
    await sleep(WAKE_DELAY_MS);
  }

  async function pause(wake: Wake, stopped: EventOf<"asleep">): Promise<void> {
    const from = begunAt.get(stopped.attempt ?? "") ?? stopped.at;
    const timeout = sleep(Math.max(0, from + WAKE_AFTER_MS[wake] - historyTime()));
    await Promise.race([timeout, ...(wake === "resolved" ? [anotherWentOn(stopped)] : [])]);
  }

  /** One fault at a time: the next one waits until the engine is well. */
  function hitEngine(fault: EngineFault): Promise<void> {
    const limitMs = MAX_ENGINE_FAULT_MS;
    const injected = engineIsWell.then(() => {
      history.note("engine", { what: "engine", fault });
      const begun = Promise.resolve(engine?.inject(fault));
      return waitFor(begun, { what: () => `the engine to be ${fault}`, limitMs });
    });
    engineIsWell = injected.then(async (injection) => {
      const over = injection?.over ?? Promise.resolve();
      await waitFor(over, { what: () => `the engine to be well after it was ${fault}`, limitMs });
      history.note("engine", { what: "engine_back" });
    });
    engineIsWell.catch(failed.reject);
    return injected.then(() => {});
  }

  async function happen(incident: Incident, stopped: EventOf<"asleep">): Promise<void> {
    const wake = hands.wakerOf(stopped.who);
    counts.set(nameOf(incident), (counts.get(nameOf(incident)) ?? 0) + 1);
    if (incident.act === "kill") return hands.kill(stopped.who);
    if (incident.act === "engine") await hitEngine(incident.fault);
    if (incident.act === "pause") await pause(incident.wake, stopped);
    await wake();
  }

  history.follow((event) => {
    for (const listener of listeners) listener(event);
    if (event.what === "begun" && event.attempt) begunAt.set(event.attempt, event.at);
    if (event.what !== "asleep") return;
    const incident = incidents.get(event.key);
    if (incident === undefined) return;
    sleepers.add(event.who);
    happened.add(event.key);
    const over: Promise<void> = happen(incident, event).finally(() => {
      active.delete(over);
      sleepers.delete(event.who);
    });
    over.catch(failed.reject);
    active.set(over, `${nameOf(incident)} of ${event.key} in ${event.who}`);
  });

  /** Incidents begin while others end, so it may take several turns. */
  async function allOver(): Promise<void> {
    while (active.size > 0) await Promise.all(active.keys());
    await engineIsWell;
  }

  return {
    counts,
    failed: failed.promise,
    hasHappened: (key) => happened.has(key),
    sleeping: () => sleepers.size,
    stopped: async (key, over) => {
      await Promise.race([next((event) => event.what === "asleep" && event.key === key), over]);
    },
    idle: () =>
      waitFor(allOver(), {
        what: () => `incidents to end: ${[...active.values()].join(", ") || "the engine is ill"}`,
        limitMs: MAX_INCIDENTS_MS,
      }),
  };
}
