import type { EngineFault } from "../../../support/engines/faults.ts";
import { countStates, type HardStateRow, lackingKinds } from "../../harness/hard-states.ts";
import { groupBy, type HardState } from "../../harness/table.ts";
import type { EventName, EventOf, HistoryEvent } from "../messages.ts";
import { type Asked, askedIn } from "../options.ts";
import type { OrderKind } from "../plan.ts";
import { LEASE_MARGIN_MS } from "../time-limits.ts";
import { type Attempt, attemptsIn, latestEndOf, unsentTimeOf } from "./attempts.ts";
import { usedAfterStart, usedAfterWrongCall, willBeUsedAgain } from "./wrong-clocks.ts";

/** A history, in the forms in which the rows of the table ask for it. */
interface Index {
  readonly asked: Asked;
  readonly events: readonly HistoryEvent[];
  readonly attempts: readonly Attempt[];
  /** The attempts on a key. */
  attemptsOn(key: string): readonly Attempt[];
  all<Name extends EventName>(what: Name): readonly EventOf<Name>[];
}

type Row = HardStateRow<Index, OrderKind>;

/** Orders in which these incidents happen. */
const lead = (...incidents: readonly string[]): Pick<Row, "leadsTo"> => ({
  leadsTo: incidents.map((incident) => ({ incident })),
});
const LATE: Pick<Row, "leadsTo"> = { leadsTo: [{ isLate: true }] };

const isShared = ({ asked }: Index) => asked.isShared;
const hasKills = ({ asked }: Index) => asked.kills > 0;
const hasPauses = ({ asked }: Index) => asked.pauses;
const isPassed = ({ asked }: Index) => asked.isShared && asked.pauses;
const hasClockSteps = ({ asked }: Index) => asked.clockSteps;

/** Attempts that were begun and not sent when the engine got a fault. */
const engineRow = (fault: EngineFault, name: string): Row => ({
  name: `engine ${name} between begin and send`,
  ...lead(`engine ${fault} at begun`),
  applies: ({ asked }) => asked.engineFaults.includes(fault),
  count: ({ attempts, all }) => {
    const faults = all("engine").filter((event) => event.fault === fault);
    return attempts.filter((attempt) => {
      const [from, until] = unsentTimeOf(attempt);
      return faults.some(({ at }) => from < at && at < until);
    }).length;
  },
});

/** Attempts in which the wall clock of the process was stepped. */
const clockRow = (direction: 1 | -1): Row => ({
  name: `clock stepped ${direction === 1 ? "forward" : "back"} inside an attempt`,
  ...lead(direction === 1 ? "clock stepped forward at begun" : "clock set back at begun"),
  applies: hasClockSteps,
  count: ({ attempts, all }) => {
    const steps = all("clock").filter(({ offsetMs }) => Math.sign(offsetMs) === direction);
    return attempts.filter((attempt) =>
      steps.some(
        ({ at, who }) => who === attempt.who && attempt.begunAt < at && at < latestEndOf(attempt),
      ),
    ).length;
  },
});

/** Keys that succeeded, and were used again after one process had begun an attempt at a wrong date. */
const wrongCallRow = (direction: 1 | -1, name: string): Row => ({
  name: `key used again after a call with a clock days ${name}`,
  ...lead(direction === 1 ? "clock stepped forward at begun" : "clock set back at begun"),
  applies: hasClockSteps,
  count: ({ events }) => usedAfterWrongCall(events, direction),
  willCome: ({ events }) => willBeUsedAgain(events, direction),
});

/** Keys that were used again after the machine had started with a wrong date. */
const startRow = (direction: 1 | -1, name: string): Row => ({
  name: `key used again after a start with a date days ${name}`,
  applies: ({ asked }) => asked.isShared && asked.clockSteps,
  count: ({ events }) => usedAfterStart(events, direction),
});

const wasSent = ({ sentAt }: Attempt, at: number) => sentAt.some((time) => time <= at);

const ROWS: readonly Row[] = [
  {
    name: "joined another's attempt",
    leadsTo: [{ clicks: [0, 1, 0, 1] }],
    applies: isShared,
    count: ({ all }) => all("joined").length,
  },
  {
    name: "lease ran out after the prompt",
    ...lead("paused at response until another went on"),
    applies: isPassed,
    // Another process saw it as unknown, while its own process had not ended it.
    count: ({ all, attemptsOn }) =>
      all("seen_unknown").filter(({ at, key, holder }) =>
        attemptsOn(key).some(
          (one) => one.owner === holder && wasSent(one, at) && (one.ended?.at ?? at) >= at,
        ),
      ).length,
  },
  {
    name: "woke before its lease ended, and was held back by its deadline",
    ...lead("paused at begun past its deadline"),
    applies: hasPauses,
    count: ({ attempts }) =>
      attempts.filter(({ sentAt, sleeps, ended, begunAt, leaseMs }) => {
        const tookMs = (ended?.at ?? 0) - begunAt;
        const isLate = tookMs >= leaseMs - LEASE_MARGIN_MS && tookMs < leaseMs;
        return sentAt.length === 0 && sleeps.length > 0 && isLate;
      }).length,
  },
  {
    name: "lease ran out before the send, and was held back by its deadline",
    ...lead("paused at request past its lease"),
    applies: hasPauses,
    count: ({ attempts }) =>
      attempts.filter(
        ({ sentAt, ended, begunAt, leaseMs }) =>
          sentAt.length === 0 && ended !== undefined && ended.at >= begunAt + leaseMs,
      ).length,
  },
  {
    name: "held back by its deadline before a retry",
    ...lead("paused at retry past its deadline"),
    applies: hasPauses,
    count: ({ attempts }) =>
      attempts.filter(
        ({ sentAt, ended, begunAt, leaseMs, sleeps }) =>
          sentAt.length > 0 &&
          ended !== undefined &&
          ended.at >= begunAt + leaseMs - LEASE_MARGIN_MS &&
          sleeps.some(({ from }) => from > (sentAt.at(-1) ?? 0)),
      ).length,
  },
  {
    name: "resolved while another slept",
    ...lead("paused at begun until another went on"),
    applies: isPassed,
    count: ({ all, attemptsOn }) =>
      all("resolved").filter(
        ({ at, key, state }) =>
          state === "resolved" &&
          attemptsOn(key).some(({ sleeps }) =>
            sleeps.some(({ from, until }) => from < at && at < until),
          ),
      ).length,
  },
  {
    name: "woke after another had prompted",
    ...lead("paused at begun until another went on"),
    applies: isPassed,
    count: ({ all, attempts }) => {
      const prompts = new Map(all("prompt").map(({ key, at }) => [key, at]));
      return attempts.filter(({ key, sentAt, sleeps }) =>
        sleeps.some(({ from, until }) => {
          const at = prompts.get(key) ?? Number.NaN;
          return from < at && at < until && until < Number.POSITIVE_INFINITY && !sentAt.length;
        }),
      ).length;
    },
  },
  clockRow(1),
  clockRow(-1),
  wrongCallRow(1, "ahead"),
  wrongCallRow(-1, "behind"),
  startRow(1, "ahead"),
  startRow(-1, "behind"),
  engineRow("killed", "died"),
  engineRow("hung", "hung"),
  engineRow("cut", "connections cut"),
  {
    name: "resolve as not sent rejected as too early",
    ...LATE,
    count: ({ all }) => all("resolved").filter(({ state }) => state === "too_early").length,
  },
  {
    name: "process killed between begin and send",
    ...lead("killed at begun"),
    applies: hasKills,
    count: ({ attempts }) =>
      attempts.filter(({ sentAt, killedAt }) => killedAt !== undefined && sentAt.length === 0)
        .length,
  },
  {
    name: "process killed after the send",
    ...lead("killed at response"),
    applies: hasKills,
    count: ({ attempts }) =>
      attempts.filter(({ sentAt, killedAt }) => killedAt !== undefined && sentAt.length > 0).length,
  },
  {
    name: "prompt arrived after its attempt had ended as unknown",
    ...LATE,
    count: ({ all, attemptsOn }) =>
      all("prompt").filter(({ key, at }) => {
        const ended = attemptsOn(key).findLast(({ begunAt }) => begunAt < at)?.ended;
        return ended?.what === "finishing" && ended.state === "unknown" && ended.at < at;
      }).length,
  },
  {
    name: "store failed at the end of an attempt",
    ...lead("engine killed at response"),
    // The client of Redis waits for a restart, and sends its command again.
    applies: ({ asked: { engine, engineFaults } }) =>
      (engine === "postgres" || engine === "mysql") && engineFaults.includes("killed"),
    count: ({ all }) => all("store_failed").filter(({ operation }) => operation !== "begin").length,
  },
];

/** Sorts a history, so that the rows find what they ask for. `undefined` without its first line. */
function indexOf(events: readonly HistoryEvent[]): Index | undefined {
  const attempts = attemptsIn(events);
  const byKey = groupBy(attempts, ({ key }) => key);
  const byName = groupBy(events, ({ what }) => what);
  const all = <Name extends EventName>(what: Name) =>
    (byName.get(what) ?? []) as readonly unknown[] as readonly EventOf<Name>[];
  const [start] = all("start");
  if (start === undefined) return undefined;
  const asked = askedIn(start);
  return { asked, events, attempts, attemptsOn: (key) => byKey.get(key) ?? [], all };
}

/** Counts the hard states of a history. */
export function hardStatesIn(events: readonly HistoryEvent[]): HardState[] {
  const index = indexOf(events);
  return index === undefined ? [] : countStates(ROWS, index);
}

/** The orders that lead to the hard states which have not come. */
export function lackingOrders(events: readonly HistoryEvent[]): OrderKind[] {
  const index = indexOf(events);
  return index === undefined ? [] : lackingKinds(ROWS, index);
}
