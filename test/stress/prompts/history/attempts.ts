import type { EventOf, HistoryEvent } from "../messages.ts";

/** A process that was stopped, from when to when. */
interface Sleep {
  readonly from: number;
  /** `Infinity` if it never woke. */
  readonly until: number;
}

/** One attempt: what its process did with the key. */
export interface Attempt {
  readonly key: string;
  readonly owner: string;
  readonly who: string;
  /** When its process asked the store to begin it. */
  readonly askedAt: number;
  readonly begunAt: number;
  readonly leaseMs: number;
  /** When its requests left. */
  readonly sentAt: readonly number[];
  /** When its process asked the store to forget it or to record its end. */
  readonly ended: EventOf<"forgetting"> | EventOf<"finishing"> | undefined;
  readonly killedAt: number | undefined;
  readonly sleeps: readonly Sleep[];
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
interface Growing extends Omit<Mutable<Attempt>, "sentAt" | "sleeps"> {
  readonly sentAt: number[];
  readonly sleeps: Mutable<Sleep>[];
}

/** Every attempt of a history, the first one first. */
export function attemptsIn(events: readonly HistoryEvent[]): Attempt[] {
  const byOwner = new Map<string, Growing>();
  const byProcess = new Map<string, Growing[]>();
  const find = ({ attempt = "" }: { readonly attempt?: string | undefined }) =>
    byOwner.get(attempt);
  for (const event of events) {
    const { what, at, who } = event;
    if (what === "begun" && event.attempt !== undefined) {
      const { key, attempt: owner, leaseMs, askedAt } = event;
      const begun = { key, owner, who, askedAt, begunAt: at, leaseMs, sentAt: [], sleeps: [] };
      const attempt: Growing = { ...begun, ended: undefined, killedAt: undefined };
      byOwner.set(owner, attempt);
      byProcess.set(who, [...(byProcess.get(who) ?? []), attempt]);
    }
    if (what === "sending") find(event)?.sentAt.push(at);
    if (what === "forgetting" || what === "finishing") {
      const attempt = find(event);
      if (attempt !== undefined) attempt.ended ??= event;
    }
    const open = () => (byProcess.get(who) ?? []).filter(({ ended }) => ended === undefined);
    if (what === "killed") for (const attempt of open()) attempt.killedAt = at;
    // A process that stops, stops with all its attempts.
    if (what === "asleep") {
      for (const { sleeps } of open()) sleeps.push({ from: at, until: Number.POSITIVE_INFINITY });
    }
    if (what === "awake") {
      for (const { sleeps } of open()) {
        const last = sleeps.at(-1);
        if (last !== undefined) last.until = Math.min(last.until, at);
      }
    }
  }
  return [...byOwner.values()];
}

/** When an attempt was over for its own process. */
export const latestEndOf = ({ ended, killedAt }: Attempt): number =>
  Math.min(ended?.at ?? Number.POSITIVE_INFINITY, killedAt ?? Number.POSITIVE_INFINITY);

/** The time in which an attempt had begun, and had neither sent nor ended. */
export function unsentTimeOf(attempt: Attempt): readonly [from: number, until: number] {
  return [
    attempt.begunAt,
    Math.min(attempt.sentAt[0] ?? Number.POSITIVE_INFINITY, latestEndOf(attempt)),
  ];
}
