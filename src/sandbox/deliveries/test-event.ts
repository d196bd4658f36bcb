import { EVENT_KINDS, type EventKind } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { newPayment } from "../payments/sandbox-payments.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { FAILURES } from "../state/prompt-outcomes.ts";
import { nextName } from "../state/random.ts";
import type { Delivery } from "../state/sandbox-records.ts";
import type {
  EventRecord,
  StoredInvoice,
  StoredPayment,
  SubscriptionRecord,
} from "../state/stored.ts";

/** The label of a test event's payment or invoice, by which a person recognises it. */
const TEST_REFERENCE = "TEST";

type TestRecord = (sandboxState: SandboxState) => EventRecord;

const payment =
  (change: (sandboxState: SandboxState) => Partial<StoredPayment>): TestRecord =>
  (sandboxState) => ({
    ...newPayment(sandboxState, {
      cents: 100_00,
      phone: "254712345678",
      account_reference: TEST_REFERENCE,
      description: "A test event",
    }),
    checkout_request_id: sandboxState.serializer.newId("checkout", sandboxState.state),
    ...change(sandboxState),
  });

const invoice =
  (status: StoredInvoice["status"]): TestRecord =>
  ({ state, clock, serializer }) => ({
    id: serializer.newId("invoice", state),
    number: TEST_REFERENCE,
    status,
    cents: 100_00,
    dueAt: clock.ms(),
    createdAt: clock.ms(),
    fields: {},
  });

const subscription =
  (status: SubscriptionRecord["status"]): TestRecord =>
  ({ state, clock }) => ({ subscription_id: state.nextId++, status, createdAt: clock.ms() });

/** A record for each kind of event that the sandbox makes. The state does not have these records. */
const TEST_RECORDS: Readonly<Record<EventKind, TestRecord>> = {
  "payment.completed": payment(({ state, clock }) => ({
    status: "completed",
    transaction_id: nextName(state.random, "receipt", 10),
    finalAt: clock.ms(),
  })),
  "payment.failed": payment(({ clock }) => ({
    status: "failed",
    failure: FAILURES.cancelled,
    finalAt: clock.ms(),
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
  const chosen = kind || EVENT_KINDS.find((one) => webhook.events.includes(one)) || "";
  if (Object.hasOwn(TEST_RECORDS, chosen)) {
    const record = TEST_RECORDS[chosen as EventKind](sandboxState);
    return sandboxState.deliveries.emitTo(webhook.url, chosen, record);
  }
  throw new ConfigurationError(
    `The sandbox makes no ${JSON.stringify(chosen)} events. It makes ${EVENT_KINDS.join(", ")}.`,
  );
}
