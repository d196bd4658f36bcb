import type { WebhookEvent } from "../../contract/events.ts";
import { jsonText } from "../../internal/json.ts";
import { DAY_MS } from "../../internal/units.ts";
import type { EventSource, Horizon, Inbox } from "../inbox/inbox-types.ts";

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
    const text = jsonText(timestamp).slice(0, 100);
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

/** Services of that time did not exist: `0001-01-01T00:00:00Z` is a field without a value, not a time. */
const EARLIEST = /* @__PURE__ */ Date.UTC(2020, 0);

/** The zone that is the furthest ahead of UTC: a time without an offset is at the earliest there. */
const EARLIEST_OFFSET_MINUTES = 840;

// ISO 8601 and RFC 3339. In linear time: no part of it matches in two ways.
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,20}))?)?)?)? ?(Z|z|UTC|GMT|([+\u2212-])(\d\d)(?::?(\d\d))?)?$/;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)(?=$|[Tt ])/;

// RFC 2822, with its zone: without one, `Date.parse` takes the zone of this machine.
const RFC_2822 =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UT)$/;

/** Seconds or milliseconds since 1970. */
const EPOCH = /^\d{10}(?:\d{3})?(?:\.\d{1,9})?$/;

/**
 * When an event was signed, in milliseconds since the epoch; the earliest possible moment for a time
 * without an offset; `undefined` for a timestamp that cannot be read.
 */
export function signedTimeOf(timestamp: unknown): number | undefined {
  const time = readTime(typeof timestamp === "number" ? String(timestamp) : timestamp);
  return time >= EARLIEST ? Math.floor(time) : undefined;
}

/** Nearly every service writes ISO 8601, so that form is tried first. No text has two of the forms. */
function readTime(text: unknown): number {
  if (typeof text !== "string") return Number.NaN;
  const match = ISO.exec(text);
  if (match !== null) return timeOfParts(match);
  if (EPOCH.test(text)) return Number(text) * (/^\d{10}(?!\d)/.test(text) ? 1_000 : 1);
  if (RFC_2822.test(text)) return Date.parse(text);
  const basic = ISO.exec(text.replace(BASIC_DATE, "$1-$2-$3"));
  return basic === null ? Number.NaN : timeOfParts(basic);
}

function timeOfParts([
  ,
  year,
  month,
  day,
  hour = "0",
  minute = "0",
  second = "0",
  ...rest
]: string[]) {
  const [fraction = "", zone, sign, offsetHour = "0", offsetMinute = "0"] = rest;
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // 30 February would be a day in March. A day may end with 24:00, and a minute with a leap second.
  const isDate = new Date(date).getUTCMonth() === Number(month) - 1;
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (!isDate || h > 24 || m > 59 || s > 60) return Number.NaN;
  const ms = Number(fraction.padEnd(3, "0").slice(0, 3));
  const size = Number(offsetHour) * 60 + Number(offsetMinute);
  const offset = sign === "+" ? size : -size;
  const ahead = zone === undefined ? EARLIEST_OFFSET_MINUTES : offset;
  return date + ((h * 60 + m - ahead) * 60 + s) * 1_000 + ms;
}
