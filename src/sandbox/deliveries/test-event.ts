import { ConfigurationError } from "../../errors/configuration.ts";
import { MERCHANT } from "../payments/merchant.ts";
import { FAILURES } from "../state/prompt-outcomes.ts";
import { nextName } from "../state/random.ts";
import type { Delivery, StoredInvoice, StoredPayment } from "../state/records.ts";
import type { World } from "../world.ts";

type TestRecord = (world: World) => StoredPayment | StoredInvoice;

/** The label of a test event's payment, by which a person recognises it. */
const TEST_REFERENCE = "TEST";

const { code, reason, userMessage, retryPossible } = FAILURES.cancelled;

const payment =
  (change: (world: World, now: number) => Partial<StoredPayment>): TestRecord =>
  (world) => {
    const now = world.clock.ms();
    return {
      payment_id: world.state.nextId++,
      merchant_id: MERCHANT.merchant_id,
      reference: world.speech.newId("reference", world.state),
      cents: 100_00,
      currency: MERCHANT.currency,
      phone: "254712345678",
      status: "pending",
      account_reference: TEST_REFERENCE,
      description: "A test event",
      checkout_request_id: world.speech.newId("checkout", world.state),
      createdAt: now,
      ...change(world, now),
    };
  };

const invoice =
  (status: StoredInvoice["status"]): TestRecord =>
  (world) => ({
    id: world.speech.newId("invoice", world.state),
    number: TEST_REFERENCE,
    status,
    cents: 100_00,
    dueAt: world.clock.ms(),
    createdAt: world.clock.ms(),
    fields: {},
  });

/** A record for each kind of event that the sandbox makes. The state does not have these records. */
const TEST_RECORDS: Readonly<Record<string, TestRecord>> = {
  "payment.completed": payment(({ state }, finalAt) => ({
    status: "completed",
    transaction_id: nextName(state.random, "receipt", 10),
    finalAt,
  })),
  "payment.failed": payment((_, finalAt) => ({
    status: "failed",
    failure: { reason: `${code}: ${reason}`, userMessage, retryPossible },
    finalAt,
  })),
  "payment.initiated": payment(() => ({})),
  "invoice.created": invoice("draft"),
  "invoice.paid": invoice("paid"),
  "invoice.overdue": invoice("overdue"),
};

/**
 * Sends an event about a payment or an invoice that does not exist to one receiver. Resolves after the
 * first attempt.
 *
 * @param kind - Empty: the first kind in the table that the receiver lists.
 * @throws {ConfigurationError} for an unknown receiver, and for a kind that the sandbox does not make.
 */
export async function sendTestEvent(world: World, id: string, kind: string): Promise<Delivery> {
  const webhook = world.state.webhooks.find((one) => one.id === id);
  if (webhook === undefined) {
    throw new ConfigurationError(
      `There is no receiver ${JSON.stringify(id)}. GET /webhooks lists the receivers.`,
    );
  }
  const kinds = Object.keys(TEST_RECORDS);
  const chosen = kind || kinds.find((one) => webhook.events.includes(one)) || webhook.events[0];
  const record = Object.hasOwn(TEST_RECORDS, chosen ?? "") && TEST_RECORDS[chosen ?? ""];
  if (chosen === undefined || !record) {
    throw new ConfigurationError(
      `The sandbox makes no ${JSON.stringify(chosen)} events. It makes ${kinds.join(", ")}.`,
    );
  }
  return world.emitTo(webhook.url, chosen, record(world));
}
