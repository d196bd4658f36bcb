import { ConfigurationError } from "../../errors/configuration.ts";
import { MERCHANT } from "../payments/merchant.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { FAILURES } from "../state/prompt-outcomes.ts";
import { nextName } from "../state/random.ts";
import type {
  Delivery,
  EventRecord,
  StoredInvoice,
  StoredPayment,
  SubscriptionRecord,
} from "../state/records.ts";

type TestRecord = (sandboxState: SandboxState) => EventRecord;

/** The label of a test event's payment, by which a person recognises it. */
const TEST_REFERENCE = "TEST";

const { code, reason, userMessage, retryPossible } = FAILURES.cancelled;

const payment =
  (change: (sandboxState: SandboxState, now: number) => Partial<StoredPayment>): TestRecord =>
  (sandboxState) => {
    const now = sandboxState.clock.ms();
    return {
      payment_id: sandboxState.state.nextId++,
      merchant_id: MERCHANT.merchant_id,
      reference: sandboxState.serializer.newId("reference", sandboxState.state),
      cents: 100_00,
      currency: MERCHANT.currency,
      phone: "254712345678",
      status: "pending",
      account_reference: TEST_REFERENCE,
      description: "A test event",
      checkout_request_id: sandboxState.serializer.newId("checkout", sandboxState.state),
      createdAt: now,
      ...change(sandboxState, now),
    };
  };

const invoice =
  (status: StoredInvoice["status"]): TestRecord =>
  (sandboxState) => ({
    id: sandboxState.serializer.newId("invoice", sandboxState.state),
    number: TEST_REFERENCE,
    status,
    cents: 100_00,
    dueAt: sandboxState.clock.ms(),
    createdAt: sandboxState.clock.ms(),
    fields: {},
  });

const subscription =
  (status: SubscriptionRecord["status"]): TestRecord =>
  ({ state, clock }) => ({
    subscription_id: state.nextId++,
    status,
    createdAt: clock.ms(),
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
  "subscription.created": subscription("active"),
  "subscription.canceled": subscription("canceled"),
};

/**
 * Sends an event about a payment or an invoice that does not exist to one receiver. Resolves after the
 * first attempt.
 *
 * @param kind - Empty: the first kind in the table that the receiver lists.
 * @throws {ConfigurationError} for an unknown receiver, and for a kind that the sandbox does not make.
 */
export async function sendTestEvent(
  sandboxState: SandboxState,
  id: string,
  kind: string,
): Promise<Delivery> {
  const webhook = sandboxState.state.webhooks.find((one) => one.id === id);
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
  return sandboxState.emitTo(webhook.url, chosen, record(sandboxState));
}
