import { sha256Hex } from "#hmac";
import { countryByPrefix } from "../../contract/countries.ts";
import type { EventKind } from "../../contract/events.ts";
import { explainFailure } from "../../contract/explain-failure.ts";
import { shortened } from "../../internal/amount-text.ts";
import { idText, jsonText } from "../../internal/json.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { isStorable, storableText } from "../../internal/storable-text.ts";
import { internationalDigits, maskedPhone } from "../../phones/phone-number.ts";
import { type EventSource, type Inbox, receiptFor } from "../../webhooks/inbox/inbox-types.ts";
import { readEvent } from "../../webhooks/verification/payload.ts";
import { amountText } from "../rules/amounts.ts";
import { networkMessageCode } from "../rules/customer-messages.ts";
import type { PaymentUpdate } from "../rules/inputs.ts";

/** An update of a payment, and the label that it was made with, if the update has it. */
export interface LabelledUpdate {
  readonly update: PaymentUpdate;
  readonly label: string | undefined;
  /** How it became known. Default: by a webhook. */
  readonly source?: EventSource | undefined;
}

/** The fields of a payment that came from outside. */
type Fields = Readonly<Record<string, unknown>>;

/** A value from outside may be nested deeper than `String` can follow. */
const fieldText = (value: unknown) => (typeof value === "string" ? value : jsonText(value));

/** An amount that cannot be read stays unchanged, but for its length: it equals no amount of an order. */
const amountIn = (amount: unknown): string | undefined =>
  amount === undefined || amount === null
    ? undefined
    : storableText(amountText(amount) ?? shortened(fieldText(amount)), MAX_TEXT);

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? storableText(value.trim(), MAX_TEXT)
    : undefined;

/** Whose phone paid, masked: a person compares it with what the payer says. */
function payerIn(phone: unknown): string | undefined {
  const text = typeof phone === "number" ? String(phone) : phone;
  const digits = typeof text === "string" ? internationalDigits(text, undefined) : undefined;
  return digits && maskedPhone(digits, countryByPrefix(digits)?.iso);
}

/** An order is written whole at each change. */
const MAX_TEXT = 500;
/** In the index of a database, with some bytes for each character. */
const MAX_NAME = 250;

/**
 * The name of a payment, as it is stored. One that no database takes has a digest in its place: it is the same at the
 * next delivery, and another one for another payment.
 */
export function storedName(name: string): string {
  if (name.length <= MAX_NAME && isStorable(name)) return name;
  return `${storableText(name, 50)}#${sha256Hex(JSON.stringify(name))}`;
}

/** What the name of a payment without a reference begins with. */
export const ALIAS = "payment_id:";

const aliasOf = (paymentId: string) => ALIAS + paymentId;

/** What a payment is called: its reference, else its number at the service. */
export function paymentName({ reference, payment_id }: Fields): string | undefined {
  const number = idText(payment_id);
  const name = idText(reference) ?? (number === undefined ? undefined : aliasOf(number));
  return name && storedName(name);
}

/**
 * What a webhook or a read says about a payment.
 *
 * @param kind - The status that the kind of an event says. One that differs from the status inside is a
 * contradiction.
 */
export function updateOf(fields: Fields, reference: string, kind?: string): LabelledUpdate {
  const inside = maskPhones(textIn(fields.status) ?? kind ?? "");
  const status = kind !== undefined && inside !== kind ? "contradiction" : inside;
  const words = textIn(fields.user_message);
  const failure =
    status === "failed"
      ? explainFailure({
          failure_reason: textIn(fields.failure_reason),
          user_message: words,
          retry_possible:
            typeof fields.retry_possible === "boolean" ? fields.retry_possible : undefined,
        })
      : undefined;
  const isUnexplained =
    failure !== undefined && words === undefined && networkMessageCode(failure.code) === undefined;
  const paymentId = idText(fields.payment_id);
  const currency = textIn(fields.currency);
  const transactionId = textIn(fields.transaction_id) ?? textIn(fields.provider_transaction_id);
  const phone = payerIn(fields.phone);
  const update: PaymentUpdate = {
    reference,
    ...(paymentId !== undefined && { alias: storedName(aliasOf(paymentId)) }),
    status,
    amount: amountIn(fields.amount),
    currency: currency === undefined ? undefined : shortened(currency.toUpperCase()),
    ...(transactionId !== undefined && { transactionId }),
    ...(phone !== undefined && { phone }),
    // A page may be seen by others than the owner of the phone.
    message: failure === undefined ? undefined : maskPhones(failure.customerMessage),
    ...(isUnexplained && { messageCode: "payment_failed" }),
    ...(failure?.code !== undefined && { code: failure.code }),
    retry: failure?.retry ?? "unknown",
  };
  // No order has one that is cut off or changed: such a payment is one without an order, unless its reference is known.
  const label = idText(fields.account_reference);
  return { update, label: label && storableText(label, MAX_TEXT) };
}

/** The status that each event about a payment says to its order. `undefined`: it says nothing to it. */
const STATUS_OF: Readonly<
  Record<Extract<EventKind, `payment.${string}`>, "completed" | "failed" | undefined>
> = {
  "payment.initiated": undefined,
  "payment.completed": "completed",
  "payment.failed": "failed",
};

const statusOf = (kind: string) =>
  Object.hasOwn(STATUS_OF, kind) ? STATUS_OF[kind as keyof typeof STATUS_OF] : undefined;

/** Whether a checkout takes events of this kind, and not the inbox of its store. */
export const isPaymentEvent = (kind: string): boolean => statusOf(kind) !== undefined;

const contradictionError = (event: string, reference: string, status: unknown) =>
  new Error(
    `The webhook ${JSON.stringify(event)} of the payment ${JSON.stringify(reference)} says ${maskPhones(jsonText(status))} in its data. It pays nothing: it is a review of its order, or a payment without an order. checkout.reviews.list() returns it: read the payment at the service.`,
  );

const isNotThere = async (): Promise<never> => {
  throw new Error("This store keeps no events other than those of payments.");
};
const NONE = { list: async () => [], read: isNotThere, requeue: isNotThere, drop: isNotThere };

/** The inbox of a store that keeps no other events: none of them waits. */
const NO_EVENTS: Inbox = {
  accept: async () => receiptFor("accepted"),
  start: async () => {},
  stop: async () => {},
  drain: async () => ({ processed: 0, left: 0 }),
  ...{ deadLetters: NONE, conflicts: NONE, waiting: NONE },
  doublePayments: { ...NONE, add: async () => true },
};

/**
 * The inbox of a checkout: the update of a payment is written into its order before it is acknowledged, so
 * that nothing of it waits anywhere. Every other event goes to the inbox of the store.
 *
 * @param note - Resolves, when the update is durable, with whether it was new.
 */
export function checkoutInbox(
  inbox: Inbox | undefined,
  note: (update: LabelledUpdate) => Promise<boolean>,
  onError: (error: unknown) => void,
): Inbox {
  const others = inbox ?? NO_EVENTS;
  return {
    ...others,
    accept: async (delivery) => {
      const status = statusOf(delivery.event);
      if (status === undefined) return others.accept(delivery);
      const { data } = readEvent(delivery.raw).event;
      const fields = data as unknown as Fields;
      // A payment without a reference is still recognised when it comes again.
      const reference = paymentName(fields) ?? aliasOf(delivery.key);
      const labelled = updateOf(fields, reference, status);
      const isNew = await note({ ...labelled, source: delivery.source });
      if (isNew && labelled.update.status === "contradiction") {
        onError(contradictionError(delivery.event, reference, fields.status));
      }
      return receiptFor(isNew ? "accepted" : "duplicate", "settled");
    },
  };
}
