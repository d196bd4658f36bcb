// What the shop does: it starts payments, handles their webhooks, and looks for what it has missed.
// It knows nothing of the web framework.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { explainFailure, Gateway, type GatewayError, isGatewayError, type Payment } from "malipo";
import { type SqliteIdempotency, sqliteIdempotency } from "malipo/idempotency/sqlite";
import { type SqliteInbox, sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver, type WebhookReceiver } from "malipo/webhooks";
import { type Ending, Orders, type Start, type Try } from "./orders.ts";

/** The prices in KES. They are the shop's: a form only names an item. */
export const PRICES: Readonly<Record<string, number>> = { Coffee: 1500, Tea: 800 };

/** A form gets the id of its order before it is sent, so that a double click is one order. */
export const newOrderId = (): string => randomBytes(6).toString("hex").toUpperCase();

/** What the customer reads. */
export const STATES: Readonly<Record<Try["state"], string>> = {
  starting: "One moment, please.",
  waiting: "Look at your phone and enter your PIN.",
  paid: "Paid. Thank you!",
  failed: "Not paid.",
};

/** What the customer reads for each parcel. */
export const SENT = "Your parcel is on its way. ";

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 20_000;
/** A payment that the service does not list by then was never started: the phone is asked again. */
const NOT_SENT_AFTER_MS = 60_000;
const NOT_KNOWN = "We do not know yet whether your phone was asked. Please do not pay again.";

type Ended = Pick<Payment, "status" | "failure_reason" | "user_message" | "retry_possible">;

function endingOf(payment: Ended): Ending {
  if (payment.status === "completed") return { state: "paid", message: "", again: 0 };
  const { customerMessage, retry } = explainFailure(payment);
  const again = retry === "now" || retry === "later" ? 1 : 0;
  return { state: "failed", message: customerMessage, again };
}

function startOf({ outcome, code }: GatewayError, isFirst: boolean): Start {
  // A later call that was not sent says nothing about the calls before it.
  const isNothingSent = outcome === "rejected" || (outcome === "not_sent" && isFirst);
  if (!isNothingSent) return { state: "starting", message: NOT_KNOWN };
  if (code === "invalid_params") return { state: "failed", message: "Is the number right?" };
  return { state: "failed", message: "You were not charged.", again: 1 };
}

export class Shop {
  readonly receiver: WebhookReceiver;
  readonly #orders: Orders;
  readonly #keys: SqliteIdempotency;
  readonly #inbox: SqliteInbox;
  readonly #gateway: Gateway;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(folder = process.env.SHOP_DATA ?? "data") {
    mkdirSync(folder, { recursive: true });
    this.#orders = new Orders(join(folder, "orders.db"));
    this.#keys = sqliteIdempotency(join(folder, "payments.db"));
    this.#inbox = sqliteInbox(join(folder, "inbox.db"));
    // Reads MALIPO_API_KEY and MALIPO_BASE_URL. A customer waits for the call, so it has 15 s.
    this.#gateway = new Gateway({ idempotency: this.#keys, totalTimeoutMs: 15_000 });
    this.receiver = createWebhookReceiver({
      inbox: this.#inbox, // reads MALIPO_WEBHOOK_SECRET
      attempts: this.#gateway.idempotency,
      ignore: ["payment.initiated"],
      onDoublePayment: ({ value, references }) =>
        console.error(`Paid twice? Look at ${value}: ${references.join(", ")}`),
    });
    this.receiver.on("payment.completed", ({ data }) => this.#handle(data.reference, data));
    this.receiver.on("payment.failed", ({ data }) => this.#handle(data.reference, data));
  }

  async start(): Promise<void> {
    await this.receiver.start();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    void this.#look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.receiver.stop(); // running handlers finish
    await this.#looking;
    for (const file of [this.#inbox, this.#keys, this.#orders]) file.close();
  }

  find(id: string): Try | undefined {
    return this.#orders.find(id);
  }

  /** Places the order of a form, and asks the phone. Returns `false` for a form that is not ours. */
  async order(form: Readonly<Record<string, unknown>>): Promise<boolean> {
    const [order_id, item, phone] = [`${form.order}`, `${form.item}`, `${form.phone}`];
    const amount = Object.hasOwn(PRICES, item) ? PRICES[item] : undefined;
    if (amount === undefined || !/^[\dA-F]{12}$/.test(order_id)) return false;
    const placed = this.#orders.place({ order_id, item, amount, phone });
    if (placed !== undefined) await this.#ask(placed, true);
    return true;
  }

  async payAgain(id: string): Promise<void> {
    const next = this.#orders.again(id);
    if (next !== undefined) await this.#ask(next, true);
  }

  /** Asks the phone for the money. The same try sends one prompt, however often it is asked. */
  async #ask(current: Try, isFirst: boolean): Promise<void> {
    const { order_id, number, amount, phone } = current;
    try {
      const { reference } = await this.#gateway.mobileMoney.initiate(
        { amount, phone, account_reference: order_id },
        { idempotencyKey: `${order_id}/${number}` },
      );
      this.#orders.started(current, { state: "waiting", reference });
      console.log(`${order_id}/${number} waits for the payment ${reference}`);
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      console.error(`${order_id}/${number}: ${error.message}`);
      const start = startOf(error, isFirst);
      this.#orders.started(current, start);
      if (isFirst && start.state === "starting") void this.#look(); // the payment may be there
    }
  }

  #end(reference: string, payment: Ended): void {
    const ended = this.#orders.end(reference, endingOf(payment));
    if (ended) console.log(`${ended.order_id}/${ended.number} is ${ended.state}`);
  }

  async #handle(reference: string, payment: Ended): Promise<void> {
    // It may be the payment of a try whose start has no known result.
    if (!this.#orders.has(reference)) await this.#look();
    if (this.#orders.has(reference)) return this.#end(reference, payment);
    // The receiver calls a handler that has thrown again, later.
    if (this.#orders.inState("starting").length > 0) throw new Error("The order is not known yet.");
    console.error(`No order of this shop has the payment ${reference}.`);
  }

  /** Finds what a crash, a lost response or a lost webhook has left open. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .catch((error: Error) => console.error(`The shop cannot look now: ${error.message}`))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const unknown = this.#orders.inState("starting");
    const { idempotency, payments } = this.#gateway;
    if (unknown.length > 0) {
      await idempotency.resolveUnknown({ lookBackMs: DAY_MS, notSentAfterMs: NOT_SENT_AFTER_MS });
    }
    for (const { order_id } of unknown) {
      const current = this.#orders.find(order_id); // its start may have ended meanwhile
      if (current?.state === "starting") await this.#ask(current, false);
    }
    const references = this.#orders.inState("waiting").map(({ reference }) => reference ?? "");
    for await (const report of payments.reconcile(references)) {
      if (report.state === "final") this.#end(report.reference, report.payment);
    }
  }
}
