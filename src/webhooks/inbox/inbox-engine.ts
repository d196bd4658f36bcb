import type { Inbox } from "./inbox-types.ts";
import type { Pace } from "./pace.ts";

/** What every inbox takes. */
export interface InboxOptions {
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised: at
   * least one day, at most 68 years. Set it shorter if space is short, but longer than the service retries
   * a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

/** An engine that holds the events of a receiver. Each option that takes an inbox takes it, too. */
export interface InboxEngine {
  /** An inbox. Call it if you need other options than the defaults. */
  inbox(options?: InboxOptions): Inbox;
}
