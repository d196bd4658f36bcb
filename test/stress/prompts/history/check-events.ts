import { type Breach, groupBy } from "../../harness/table.ts";
import type { EventOf, HistoryEvent } from "../messages.ts";
import { askedIn } from "../options.ts";
import { LEASE_MARGIN_MS } from "../time-limits.ts";
import { type Attempt, attemptsIn } from "./attempts.ts";

// What a store's clock may be inexact by.
const TOLERANCE_MS = 100;

/**
 * Checks what must hold at every moment, also if no second prompt followed: a key is not begun
 * twice, nothing leaves after its lease, nothing is freed while it may still be on its way, and all
 * ends in time.
 */
export function breachesInEvents(events: readonly HistoryEvent[]): Breach[] {
  const attempts = groupBy(attemptsIn(events), ({ key }) => key);
  const byKey = groupBy(
    events.filter((event) => "key" in event),
    (event) => (event as { readonly key: string }).key,
  );
  const found = [...attempts].flatMap(([key, ofKey]) => [
    ...begunTwice(key, ofKey, byKey.get(key) ?? []),
    ...sentTooLate(ofKey),
    ...freedTooEarly(key, ofKey, byKey.get(key) ?? []),
  ]);
  const unexpected = events.filter(({ what }) => what === "unexpected" || what === "died");
  return [
    ...found,
    ...unexpected.map(
      ({ who, ...one }): Breach => ({
        ...{ kind: "unexpected", order: "" },
        what: `${who}: ${"error" in one ? one.error : ""}`,
      }),
    ),
    ...events
      .filter((event) => event.what === "open")
      .map(
        ({ key }): Breach => ({ kind: "unknown", order: key, what: "its attempt has not ended" }),
      ),
    ...endedTooLate(events),
  ];
}

const isResolving = (event: HistoryEvent): event is EventOf<"resolving"> =>
  event.what === "resolving";

/** The store began an attempt, although an earlier one held the key. */
function begunTwice(
  key: string,
  attempts: readonly Attempt[],
  events: readonly HistoryEvent[],
): Breach[] {
  const forgot = new Set(
    events.flatMap((event) => (event.what === "forgetting" ? [event.attempt] : [])),
  );
  return attempts.slice(1).flatMap((next, index): Breach[] => {
    const earlier = attempts[index] as Attempt;
    const isFreed =
      forgot.has(earlier.owner) ||
      events.some(
        (event) =>
          isResolving(event) &&
          event.outcome === "not_sent" &&
          earlier.begunAt < event.at &&
          event.at < next.begunAt,
      );
    if (isFreed) return [];
    const what = `${next.who} began an attempt, but no process had freed the one of ${earlier.who}`;
    return [{ kind: "begun_twice", order: key, what }];
  });
}

/** A request left when its lease was over. */
const sentTooLate = (attempts: readonly Attempt[]): Breach[] =>
  attempts.flatMap(({ key, who, askedAt, leaseMs, sentAt }) =>
    sentAt
      .map((at) => Math.round(at - askedAt))
      .filter((afterMs) => afterMs >= leaseMs)
      .map((afterMs) => ({
        kind: "sent_late" as const,
        order: key,
        what: `${who} sent ${afterMs} ms after it had begun, and its lease was ${leaseMs} ms`,
      })),
  );

/** An attempt was resolved as not sent while its request could still arrive. */
function freedTooEarly(
  key: string,
  attempts: readonly Attempt[],
  events: readonly HistoryEvent[],
): Breach[] {
  return events.flatMap((event): Breach[] => {
    if (event.what !== "resolved" || event.outcome !== "not_sent" || event.state !== "resolved") {
      return [];
    }
    const holder = attempts.findLast(({ begunAt }) => begunAt < event.at);
    if (holder === undefined) return [];
    // At least: the store began it later, and resolved it earlier.
    const afterMs = Math.round(event.at - holder.askedAt);
    const limit = holder.leaseMs + LEASE_MARGIN_MS;
    if (afterMs >= limit - TOLERANCE_MS) return [];
    const what = `${event.who} resolved it as not sent ${afterMs} ms after it had begun; it could be on its way for ${limit} ms`;
    return [{ kind: "freed_early", order: key, what }];
  });
}

/** The faults stopped, and not everything reached an answer in time. */
function endedTooLate(events: readonly HistoryEvent[]): Breach[] {
  const timeOf = (what: HistoryEvent["what"]) => events.find((event) => event.what === what)?.at;
  const start = events.find((event) => event.what === "start");
  const stopped = timeOf("faults_stopped");
  if (start === undefined || stopped === undefined) return [];
  const tookMs = Math.round((timeOf("all_ended") ?? Number.POSITIVE_INFINITY) - stopped);
  const { endWithinMs } = askedIn(start);
  if (tookMs <= endWithinMs) return [];
  const what = `it took ${tookMs} ms after the faults had stopped; at most ${endWithinMs} ms`;
  return [{ kind: "ended_late", order: "", what }];
}
