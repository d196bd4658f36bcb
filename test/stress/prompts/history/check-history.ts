import { neverCame } from "../../harness/hard-states.ts";
import { type Breach, countEach, listed, type Outcome } from "../../harness/table.ts";
import type { HistoryEvent } from "../messages.ts";
import { breachesAtEnd } from "./check-ends.ts";
import { breachesInEvents } from "./check-events.ts";
import { hardStatesIn } from "./hard-states.ts";

/** The number of orders with a breach of these kinds. */
const ordersWith = (breaches: readonly Breach[], kinds: readonly string[]): number =>
  new Set(
    breaches.filter(({ kind }) => kinds.includes(kind)).map(({ order, what }) => order || what),
  ).size;

/** What must never happen, and the breaches that say so. */
const NEVER = [
  ["orders with two prompts", ["prompts"]],
  ["wrong final statuses", ["wrong"]],
  ["orders left unknown", ["unknown"]],
  ["unexpected errors", ["unexpected", "stray"]],
  ["keys begun twice", ["begun_twice"]],
  ["sent after the lease", ["sent_late"]],
  ["freed too early", ["freed_early"]],
] as const;

const held = (holds: boolean, promise: string) => `${promise}: ${holds ? "held" : "BROKEN"}`;

/** How a campaign ended, by its history: whether the promises held, and which hard states came. */
export function judge(events: readonly HistoryEvent[]): Outcome {
  const breaches = [...breachesAtEnd(events), ...breachesInEvents(events)];
  const states = hardStatesIn(events);
  const all = (name: HistoryEvent["what"]) => events.filter(({ what }) => what === name);
  const start = events.find((event) => event.what === "start");
  const names = <T>(pick: (event: HistoryEvent) => T | undefined) =>
    countEach(events.flatMap((event) => pick(event) ?? []));
  const orders = events.filter((event) => event.what === "order");
  const statuses = countEach(
    orders.flatMap(({ atEnd }) => (typeof atEnd === "string" ? [] : atEnd.status)),
  );
  const prompts = names((event) => (event.what === "payment" ? event.key : undefined));
  const most = Math.max(0, ...prompts.values());
  const isSlow = breaches.some(({ kind }) => kind === "ended_late");
  const [[stopped], [ended]] = [all("faults_stopped"), all("all_ended")];
  return {
    title: `${start?.engine} store, seed ${start?.seed}`,
    rows: [
      ["events", events.length],
      ["orders, one key each", orders.length],
      ["prompts", all("payment").length, "in the service's own ledger"],
      ["most prompts for one key", most, held(most <= 1, "at most 1")],
      ...NEVER.map(([name, kinds]) => {
        const count = ordersWith(breaches, kinds);
        return [name, count, held(count === 0, "none")] as const;
      }),
      [
        "seconds to end without faults",
        stopped && ended ? ((ended.at - stopped.at) / 1_000).toFixed(1) : "-",
        held(!isSlow, "in time"),
      ],
      ["final statuses", "", listed([...statuses].sort())],
      [
        "incidents inside a call",
        "",
        listed([...names((one) => (one.what === "incident" ? one.name : undefined))].sort()),
      ],
      ["clock steps", all("clock").length],
      ["engine faults", all("engine").length],
      ["service restarts", all("service_restarted").length],
    ],
    ...{ states, breaches: [...breaches, ...neverCame(states)] },
  };
}
