// What the shop does: it starts payments, handles their webhooks, and looks for what it has missed.
// It knows nothing of the web framework.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { explainFailure, Gateway, type GatewayError, isGatewayError, type Payment } from "malipo";
import { sqliteIdempotency } from "malipo/idempotency/sqlite";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";
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

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 60_000;
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

export function openShop(folder = process.env.SHOP_DATA ?? "data") {
  mkdirSync(folder, { recursive: true });
  const orders = new Orders(join(folder, "orders.db"));
  const keys = sqliteIdempotency(join(folder, "payments.db"));
  const inbox = sqliteInbox(join(folder, "inbox.db"));
  // Reads MALIPO_API_KEY and MALIPO_BASE_URL. A customer waits for the call, so it has 15 s.
  const gateway = new Gateway({ idempotency: keys, totalTimeoutMs: 15_000 });
  const receiver = createWebhookReceiver({
    inbox, // reads MALIPO_WEBHOOK_SECRET
    attempts: gateway.idempotency,
    ignore: ["payment.initiated"],
    onDoublePayment: ({ value, references }) =>
      console.error(`Paid twice? Look at ${value}: ${references.join(", ")}`),
  });

  /** Asks the phone for the money. The same try sends one prompt, however often it is asked. */
  async function ask(current: Try, isFirst: boolean): Promise<void> {
    const { order_id, number, amount, phone } = current;
    try {
      const { reference } = await gateway.mobileMoney.initiate(
        { amount, phone, account_reference: order_id },
        { idempotencyKey: `${order_id}/${number}` },
      );
      orders.started(current, { state: "waiting", reference });
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      console.error(`${order_id}/${number}: ${error.message}`);
      const start = startOf(error, isFirst);
      orders.started(current, start);
      if (isFirst && start.state === "starting") void look(); // the payment may be there already
    }
  }

  /** Finds what a crash, a lost response or a lost webhook has left open. */
  async function lookOnce(): Promise<void> {
    const unknown = orders.inState("starting");
    if (unknown.length > 0) await gateway.idempotency.resolveUnknown({ lookBackMs: DAY_MS });
    for (const current of unknown) await ask(current, false);
    const references = orders.inState("waiting").map(({ reference }) => reference ?? "");
    for await (const report of gateway.payments.reconcile(references)) {
      if (report.state === "final") orders.settle(report.reference, endingOf(report.payment));
    }
  }

  let looking: Promise<void> | undefined;
  function look(): Promise<void> {
    looking ??= lookOnce()
      .catch((error: Error) => console.error(`The shop cannot look now: ${error.message}`))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  async function handle(payment: Ended & { reference: string }): Promise<void> {
    const isSettled = () => orders.settle(payment.reference, endingOf(payment));
    if (isSettled()) return;
    // It may be the payment of a try whose start has no known result.
    await look();
    if (isSettled()) return;
    // The receiver calls a handler that has thrown again, later.
    if (orders.inState("starting").length > 0) throw new Error("The order is not known yet.");
    console.error(`No order of this shop has the payment ${payment.reference}.`);
  }
  receiver.on("payment.completed", ({ data }) => handle(data));
  receiver.on("payment.failed", ({ data }) => handle(data));

  // There is no try to ask for after a double click.
  const askFirst = async (current?: Try) => current && ask(current, true);
  let timer: NodeJS.Timeout | undefined;
  return {
    receiver,
    find: (id: string) => orders.find(id),
    /** Places the order of a form, and asks the phone. Gives `false` for a form that is not ours. */
    async order(form: Readonly<Record<string, unknown>>): Promise<boolean> {
      const [order_id, item, phone] = [`${form.order}`, `${form.item}`, `${form.phone}`];
      const amount = Object.hasOwn(PRICES, item) ? PRICES[item] : undefined;
      if (amount === undefined || !/^[\dA-F]{12}$/.test(order_id)) return false;
      await askFirst(orders.place({ order_id, item, amount, phone }));
      return true;
    },
    payAgain: (id: string) => askFirst(orders.again(id)),
    async start(): Promise<void> {
      await receiver.start();
      timer = setInterval(look, LOOK_EVERY_MS);
      void look();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await receiver.stop(); // running handlers finish
      await looking;
      for (const file of [inbox, keys, orders]) file.close();
    },
  };
}
