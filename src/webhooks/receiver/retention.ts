import type { WebhookEvent } from "../../contract/events.ts";
import type { EventSource, Horizon, Inbox } from "../inbox/types.ts";
import { signedTimeOf } from "./signed-time.ts";

const DAY_MS = 86_400_000;

/** How far the clock of this machine may be behind that of the service. */
const CLOCK_SKEW_MS = 300_000;

/** How long the horizon of an inbox is used, and moves on with the time. */
const HORIZON_MS = 60_000;

/** After this many old events in a row, it is likely that a clock is wrong. */
const MANY_OLD = 3;

/** When an event was signed, and what follows from it. */
export interface EventAge {
  /** In milliseconds since the epoch; `undefined` if the timestamp cannot be read. */
  readonly signedAt: number | undefined;
  /** Why the event must not be processed without a person; `undefined` for every other event. */
  readonly replayReason: string | undefined;
}

export interface RetentionSettings {
  readonly inbox: Inbox;
  /** The user's own clock. */
  readonly now: (() => number) | undefined;
  onError(error: unknown): void;
}

const days = (ms: number): number => Math.round(ms / DAY_MS);

/**
 * Finds events that were so old that the inbox may have processed and forgotten them. A
 * retry of the service has the first timestamp and may come hours later, so an event of the last day is
 * processed, however short the retention is.
 */
export class Retention {
  readonly #settings: RetentionSettings;
  #horizon: Promise<Horizon> | undefined;
  #fetched = { wallMs: 0, uptimeMs: 0 };
  #oldInRow = 0;
  #isUnreadableReported = false;

  constructor(settings: RetentionSettings) {
    this.#settings = settings;
  }

  /** Rejects if the inbox cannot tell what it remembers. */
  async ageOf({ event, timestamp }: WebhookEvent, source?: EventSource): Promise<EventAge> {
    const horizon = await this.#horizonNow();
    // It was read at this moment, whatever the clock of this machine says.
    if (source === "read")
      return { signedAt: horizon?.now ?? this.#now(), replayReason: undefined };
    const signedAt = signedTimeOf(timestamp);
    if (horizon === undefined) return { signedAt, replayReason: undefined };
    if (signedAt === undefined) this.#reportUnreadable(event, timestamp);
    const isOld = signedAt !== undefined && signedAt < horizon.remembersSince;
    this.#oldInRow = isOld ? this.#oldInRow + 1 : 0;
    return { signedAt, replayReason: isOld ? this.#reason(signedAt, horizon) : undefined };
  }

  #now(): number {
    return this.#settings.now?.() ?? Date.now();
  }

  #reason(signedAt: number, { now, remembersSince }: Horizon): string {
    const clock = new Date(now).toISOString();
    const reason = `The event was signed ${days(now - signedAt)} days ago, and the inbox remembers events for ${days(now - remembersSince)} days: it may have been processed before.`;
    return this.#oldInRow < MANY_OLD
      ? reason
      : `${reason} Several events in a row were too old: check the clock of this machine. It was taken to be ${clock}.`;
  }

  #reportUnreadable(kind: string, timestamp: unknown): void {
    if (this.#isUnreadableReported) return;
    this.#isUnreadableReported = true;
    const text = String(JSON.stringify(timestamp)).slice(0, 100);
    this.#settings.onError(
      new Error(
        `An event of kind ${JSON.stringify(kind.slice(0, 100))} has no timestamp that can be read; got ${text}. Such an event is processed, and remembered without end, since its age is unknown. This is reported once.`,
      ),
    );
  }

  /** What the inbox remembers at this moment; `undefined` if it may be asked to process any event. */
  async #horizonNow(): Promise<Horizon | undefined> {
    const { inbox, now: ownNow } = this.#settings;
    const horizon = inbox.horizon === undefined ? byRetention(inbox) : await this.#cached(inbox);
    if (horizon === undefined || ownNow === undefined) return horizon;
    const now = ownNow();
    return { now, remembersSince: now - (horizon.now - horizon.remembersSince) };
  }

  async #cached(inbox: Inbox): Promise<Horizon> {
    // Both clocks: one may be set, and the other one stands still while a function is frozen.
    const wallMs = Date.now() - this.#fetched.wallMs;
    const uptimeMs = performance.now() - this.#fetched.uptimeMs;
    if (this.#horizon === undefined || Math.abs(wallMs) > HORIZON_MS || uptimeMs > HORIZON_MS) {
      this.#fetched = { wallMs: Date.now(), uptimeMs: performance.now() };
      const horizon = (inbox.horizon as NonNullable<Inbox["horizon"]>)();
      this.#horizon = horizon;
      horizon.catch(() => {
        if (this.#horizon === horizon) this.#horizon = undefined;
      });
    }
    const { now, remembersSince } = await this.#horizon;
    const passed = performance.now() - this.#fetched.uptimeMs;
    return { now: now + passed, remembersSince: remembersSince + passed };
  }
}

function byRetention({ retentionMs }: Inbox): Horizon | undefined {
  if (retentionMs === undefined) return undefined;
  const now = Date.now();
  return { now, remembersSince: now - Math.max(retentionMs, DAY_MS) + CLOCK_SKEW_MS };
}
