import type { DoublePayment } from "../../contract/double-payment.ts";
import type { EventKind, WebhookEvent } from "../../contract/events.ts";
import type { Inbox } from "../inbox/types.ts";
import type { WebhookSecret } from "../verification/secret.ts";

/** Which attempt of which event failed. */
export interface FailedAttempt {
  /** The event kind. */
  readonly event: string;
  /** As the handler got it. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** `false` after the twelfth attempt: the event is a dead letter now. */
  readonly willRetry: boolean;
}

/** What {@link createWebhookReceiver} takes. */
export interface WebhookReceiverOptions {
  /** The webhook signing secret. Set a list while you rotate the secret: the old one and the new one. */
  secret: WebhookSecret | readonly WebhookSecret[];
  /**
   * Where deliveries are stored until they are processed. Set it in production: `sqliteInbox` on one
   * machine, `pgBossInbox` or `bullmqInbox` on several.
   * @default `memoryInbox()`, which a restart empties
   */
  inbox?: Inbox | undefined;
  /**
   * The largest body that is accepted, in bytes. Set it lower where memory is short, or higher where
   * the service returned your own large `metadata`.
   * @default 1_048_576
   */
  maxBodyBytes?: number | undefined;
  /**
   * The greatest age of an event in seconds, as in `verifyWebhook`. Leave it out with a durable inbox:
   * that already recognises duplicates, and a limit loses late retries.
   * @default no limit
   */
  maxAgeSeconds?: number | undefined;
  /**
   * How many events this process handles at the same time. Set it to 1 where handlers must not overlap,
   * higher where they mostly wait for other services.
   * @default 8
   */
  concurrency?: number | undefined;
  /**
   * How long a handler may take, in milliseconds. After that its signal aborts and the attempt has
   * failed. Set it above the longest call that a handler makes.
   * @default 60_000
   */
  handlerTimeoutMs?: number | undefined;
  /**
   * Kinds of events that nobody wants: they are acknowledged and done. Set it for every kind that no
   * process handles; all others are kept for a process that does.
   * @default none
   */
  ignore?: readonly (EventKind | (string & {}))[] | undefined;
  /**
   * Gives what tells one event of a kind from another, such as `String(event.data.instalment_id)`;
   * `undefined` for the default, which is `data.reference`, else `data.payment_id`. Set it where
   * several events of a kind have one reference: without it, the second is a conflict.
   */
  identify?: ((event: WebhookEvent) => string | undefined) | undefined;
  /**
   * Called once with each kind of event that this process neither handles nor ignores. Such events are
   * kept for a process that handles them, such as the next version of your program, until the
   * retention of the inbox ends. `bullmqInbox` and `pgBossInbox` drop them and call `onError` instead.
   * @default a line in the console
   */
  onUnhandled?: ((kind: string) => void) | undefined;
  /**
   * Called with every rejected request, every failure of the inbox, and every failed attempt (then
   * with the attempt). Set it to send these to your logs or
   * alerts. An error that it throws is ignored.
   * @default `console.error`, with one line a minute for equal errors, and no stack for a rejected request
   */
  onError?: ((error: unknown, attempt?: FailedAttempt) => void) | undefined;
  /**
   * Called with a delivery whose event was stored before with other `data`. It is stored beside the
   * first one and not processed; `receiver.conflicts` lists it. Set it to have a person look at both.
   * @default `onError`, with an error that names the kind
   */
  onConflict?: ((event: WebhookEvent) => void) | undefined;
  /**
   * Notified of every payment that a stored event names: set it to the `createWakeups()` that
   * `waitFor` and `collect` use, so that they read the payment at once.
   */
  wakeups?:
    | {
        /** Wakes everything that waits for the payment. */
        notify(reference: string): void;
      }
    | undefined;
  /**
   * Attempts of unknown outcome that payment events may resolve: set it to `gateway.idempotency`. An
   * event whose payment matches exactly one of them, by account reference, amount and phone, resolves
   * it with the reference of the payment. A failure is reported to `onError`, and the event is
   * handled all the same.
   */
  attempts?: AttemptResolver | undefined;
  /**
   * Called with two completed payments that look like the same money twice: two of one
   * `account_reference`, such as of the keys `ORDER-42/1` and `ORDER-42/2`, or two with one
   * `transaction_id`. Set it to have a person look, and to pay one of them back. This process
   * remembers the last 10,000 completed payments; with `attempts`, the payments of other keys are
   * found in the idempotency store, too. It may be called more than once for the same two.
   */
  onDoublePayment?: ((double: DoublePayment) => void) | undefined;
}

/** What the receiver needs of `gateway.idempotency`. */
export interface AttemptResolver {
  /** Resolves the attempt of unknown outcome that made a payment, where exactly one can have made it. */
  resolveByPayment(payment: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The completed payments of an account reference that other idempotency keys made. */
  otherCompletedPayments?(
    accountReference: string,
    reference: string,
  ): Promise<readonly { readonly reference?: string }[]>;
}
