import type { DoublePayment } from "../../contract/double-payment.ts";
import type { EventKind, WebhookEvent } from "../../contract/events.ts";
import type { InboxEngine } from "../inbox/inbox-engine.ts";
import type { Inbox } from "../inbox/inbox-types.ts";
import type { WebhookSecret } from "../verification/secret.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";
import type { MerchantRequest } from "./merchants/merchant-request.ts";
import type { WebhookHooks } from "./receiver-hooks.ts";

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
  /**
   * The webhook signing secret. Set a list while you rotate the secret: the old one and the new one. An
   * `undefined` is an error: it comes from a variable that is not set.
   *
   * Set a function if one receiver serves many merchants. It gets what `merchant` returned, and returns
   * the secret, a list, or nothing for an unknown merchant (401). If it throws, rejects or takes longer
   * than 5 s, the response is 503 and `onError` is called. What it returns is remembered for
   * `secretCacheMs`, of 20,000 merchants. If a signature does not match, a remembered secret is looked up
   * again, at most every 10 s for each merchant: a rotated secret is found, and forged requests do not
   * reach your database. Return both secrets during a rotation, and no two merchants the same one.
   *
   * @example
   * ```ts
   * const receiver = createWebhookReceiver({
   *   merchant: ({ url }) => url.pathname.split("/")[2], // /webhooks/<merchant>
   *   secret: async (merchant) => (await shops.find(merchant))?.webhookSecret,
   * });
   * receiver.on("payment.completed", (event, { merchant }) => ship(merchant, event.data));
   * ```
   *
   * @default the environment variable `MALIPO_WEBHOOK_SECRET`
   */
  secret?: WebhookSecret | readonly WebhookSecret[] | MerchantSecret;
  /**
   * Returns whose delivery a request is, by its URL or a header; `undefined` or an empty string for no
   * merchant (401). Set it if `secret` is a function. The merchant is a part of the key of each event,
   * and the handler gets it too. One merchant must have one text: make it lower-case if your database
   * ignores case, or a recorded delivery could be processed twice.
   */
  merchant?: ((request: MerchantRequest) => string | undefined) | undefined;
  /**
   * How long the secret of a merchant is used before it is looked up again, in milliseconds. A secret
   * that you withdraw is accepted for as long: set it lower if that is too long, or 0 to look it up for
   * each delivery.
   * @default 300_000
   */
  secretCacheMs?: number | undefined;
  /**
   * What stores deliveries until they are processed: an engine, or an inbox of one. Set it in production:
   * `sqlite()` on one machine, `postgres()` or `redis()` on several.
   * @default memory, which a restart empties
   */
  inbox?: Inbox | InboxEngine | undefined;
  /**
   * The largest body that is accepted, in bytes. Set it lower if memory is short, or higher if
   * the service returns your own large `metadata`.
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
   * The current time, by which the age of events is found. Set it in tests whose events have another
   * time, such as those of a sandbox with virtual time: `() => sandbox.clock.now()`.
   * @default `() => new Date()`
   */
  now?: (() => Date) | undefined;
  /**
   * How many events this process handles at the same time. Set it to 1 if handlers must not overlap,
   * higher if they mostly wait for other services.
   *
   * With `merchant`, an event begins only while more places are free than its merchant has: the events
   * of one merchant take at most half of the places, those of two at most three quarters, and so on. So
   * a merchant whose handlers hang does not keep others waiting. Set it to twice what one merchant needs.
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
   * Kinds of events that no process handles: they are acknowledged and done; those of an undocumented
   * kind are not even stored. Events of all other kinds wait for a process that handles them.
   * @default none
   */
  ignore?: readonly (EventKind | (string & {}))[] | undefined;
  /**
   * Returns what tells one event of a kind from another, such as `String(event.data.instalment_id)`;
   * `undefined` for the default, which is `data.reference`, else `data.payment_id`. Set it if
   * several events of a kind have one reference: without it, the second is a conflict.
   */
  identify?: ((event: WebhookEvent) => string | undefined) | undefined;
  /**
   * Called once with each kind of event that this process accepts and neither handles nor ignores; with
   * 100 kinds at most. Such events wait for a process that handles them, such as the next version of
   * your program, until the retention of the inbox ends.
   * @default a line in the console
   */
  onUnhandled?: ((kind: string) => void) | undefined;
  /**
   * Called with every rejected request, every failure of the inbox, and every failed attempt (then
   * with the attempt); once a minute while the engine of the inbox is away. Set it to send these to your
   * logs or alerts. An error that it throws is ignored.
   * @default `console.error`, with one line a minute for equal errors, and no stack for a rejected request
   */
  onError?: ((error: unknown, attempt?: FailedAttempt) => void) | undefined;
  /**
   * Called with a delivery whose event was stored before with other `data`. It is stored beside the
   * first one and not processed; `receiver.conflicts` lists it. Set it to have a person look at both.
   * @default `onError`, with an error that names the kind
   */
  onConflict?: ((event: WebhookEvent, merchant?: string) => void) | undefined;
  /**
   * Notified of every payment that a stored event names: set it to the engine or the `createWakeups()` that
   * your gateway has as `wakeups`, so that waits read the payment at once. With `merchant`, those of a merchant
   * wait by `wakeups.wakeOf(merchant)`.
   */
  wakeups?: PaymentNotifier | NotifierEngine | undefined;
  /**
   * Attempts of unknown outcome that payment events may resolve: set it to `gateway.idempotency`. An
   * event whose payment matches exactly one of them, by account reference, amount and phone, resolves
   * it with the reference of the payment. A failure is reported to `onError`, and the event is handled
   * all the same. Events are used when they are processed: handle the kinds of payments in a process
   * with this option, or name them in `ignore`.
   *
   * With `merchant`, set a function that returns those of a merchant, such as
   * `(merchant) => gatewayOf(merchant).idempotency`.
   */
  attempts?: AttemptResolver | ((merchant: string) => AttemptResolver | undefined) | undefined;
  /**
   * What reads the payments that `receiver.sweep()` is called with: set it to `gateway.payments`. With
   * `merchant`, set a function that returns those of a merchant, such as
   * `(merchant) => gatewayOf(merchant).payments`.
   */
  payments?: PaymentReader | ((merchant: string) => PaymentReader | undefined) | undefined;
  /**
   * Called once with each two completed payments that look like the same money twice: two of one
   * `account_reference`, such as of the keys `ORDER-42/1` and `ORDER-42/2`, or two with one
   * `transaction_id`. Set it to have a person look, and to pay one of them back. The inbox stores each
   * pair: `receiver.doublePayments` lists them, also without this. They are found among the last 10,000
   * completed payments of this process; with `attempts`, among those of the idempotency store, too. Of one
   * reference or transaction, each process reports 20 pairs; the next one calls `onError`, once.
   */
  onDoublePayment?: ((double: DoublePayment, merchant?: string) => void) | undefined;
  /**
   * Functions that are called with each request and each attempt. Set it to log, measure or trace them;
   * `otelWebhookHooks()` of `malipo/otel` makes OpenTelemetry's.
   */
  hooks?: WebhookHooks | undefined;
  /**
   * What learns how your service delivers: `createObserver()` of `malipo/learn`. It stores shapes, never
   * values, and no delivery waits for it. Set it to learn payloads, headers and the retry schedule.
   * @default none
   */
  observer?: DeliveryObserver | undefined;
}

/** An engine that carries wake-ups: `postgres(url)`, or `redis(url)`. */
export interface NotifierEngine {
  /** What the receiver notifies of each payment. */
  wakeups(): PaymentNotifier;
}

/** What the receiver needs of wake-ups. */
export interface PaymentNotifier {
  /** Wakes everything that waits for the payment. */
  notify(reference: string, merchant?: string): void;
}

/** Returns the secret of a merchant: see `secret`. */
export type MerchantSecret = (merchant: string) => FoundSecret | Promise<FoundSecret>;

/** What a {@link MerchantSecret} finds. */
export type FoundSecret = WebhookSecret | readonly WebhookSecret[] | null | undefined;

/** What the receiver needs of `gateway.idempotency`. */
export interface AttemptResolver {
  /** Resolves the attempt of unknown outcome that made a payment, if exactly one can have made it. */
  resolveByPayment(payment: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The completed payments of an account reference that other idempotency keys made. */
  otherCompletedPayments?(
    accountReference: string,
    reference: string,
  ): Promise<readonly { readonly reference?: string }[]>;
}

/** What the receiver needs of `gateway.payments`. */
export interface PaymentReader {
  /** Reads a payment by its reference. */
  get(
    reference: string,
    options?: { signal?: AbortSignal },
  ): PromiseLike<Readonly<Record<string, unknown>>>;
}

/** What the receiver needs of an observer: `createObserver()` of `malipo/learn` makes one. */
export interface DeliveryObserver {
  /** Is called with each verified delivery, and must return at once. */
  observeDelivery(delivery: ObservedDelivery): void;
}

/** A verified delivery. It holds values: only shapes may be stored. */
export interface ObservedDelivery {
  readonly headers: WebhookHeaders;
  readonly body: Uint8Array;
  /** The status that the receiver returns. */
  readonly status: number;
  /** In milliseconds since 1970. */
  readonly receivedAt: number;
}
