import { EVENT_KINDS } from "../../contract/events.ts";
import { mobileMoneyPaymentParams, phoneToValidate } from "../../contract/payment.ts";
import type { Schema } from "../../contract/schema.ts";
import { webhookChanges, webhookRegistration } from "../../contract/webhook.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { parseTimestamp } from "../clock/time.ts";
import type { InvoiceChange } from "../payments/invoices.ts";
import { formatAmount, parseAmount } from "../payments/money.ts";
import type { NewPayment } from "../payments/payments.ts";
import { kenyanMobile } from "../payments/phone-number.ts";
import type { StoredWebhook } from "../state/records.ts";
import type { World } from "../state/world.ts";
import { invalidField } from "./error-response.ts";

// What a request holds, checked: first against the contract, then against what the sandbox chose.

export type Body = Record<string, unknown>;

function checked<T>(schema: Schema, body: Body): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data as T;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  throw invalidField(path.map(String).join("."), message);
}

/** The cents of an amount within bounds. */
function boundedCents(amount: unknown, { limits }: World): number {
  const cents = parseAmount(amount);
  const { minCents, maxCents } = limits;
  if (cents !== undefined && cents >= minCents && cents <= maxCents) return cents;
  throw invalidField(
    "amount",
    `expected ${formatAmount(minCents)} to ${formatAmount(maxCents)} with at most two decimals`,
  );
}

export const DEFAULT_ACCOUNT = 1;

/** The body of an initiation. */
export function paymentOrder(world: World, body: Body): NewPayment {
  const params = checked<{
    amount: number;
    phone: string;
    description?: string;
    account_reference?: string;
    payment_account_id?: string | number;
  }>(mobileMoneyPaymentParams, body);
  const phone = kenyanMobile(params.phone);
  if (phone === undefined) {
    throw invalidField("phone", "expected a Kenyan mobile number, such as 0712345678");
  }
  const account = params.payment_account_id;
  if (account !== undefined && String(account) !== String(DEFAULT_ACCOUNT)) {
    throw invalidField("payment_account_id", "there is no such payment account");
  }
  return {
    cents: boundedCents(params.amount, world),
    phone,
    account_reference: params.account_reference ?? "",
    description: params.description ?? "",
  };
}

/** The phone of a validation, in digits. */
export const phoneIn = (body: Body): string =>
  checked<{ phone: string }>(phoneToValidate, body).phone;

/** The documented fields of a registration, or of a change to one. */
export function webhookFields(body: Body, isChange: boolean): Partial<Omit<StoredWebhook, "id">> {
  const { name, url, events } = checked<Partial<StoredWebhook>>(
    isChange ? webhookChanges : webhookRegistration,
    body,
  );
  if (name === "") throw invalidField("name", "expected a label");
  if (events?.length === 0) throw invalidField("events", "expected one event kind at least");
  const unknown = events?.find((event) => !(EVENT_KINDS as readonly string[]).includes(event));
  if (unknown !== undefined) {
    throw invalidField(
      "events",
      `${JSON.stringify(unknown)} is no event kind; there are ${EVENT_KINDS.join(", ")}`,
    );
  }
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
  };
}

/** What of an invoice the sandbox keeps itself; whatever else the merchant put in it is kept as it is. */
export function invoiceChange(world: World, body: Body): InvoiceChange {
  const { id: _id, number: _number, status: _status, created_at: _created, ...rest } = body;
  const { amount, due_at, ...fields } = rest;
  const dueAt = parseTimestamp(due_at);
  if (due_at !== undefined && dueAt === undefined) {
    throw invalidField("due_at", "expected ISO 8601 with an offset, 2026-01-31T18:00:00+03:00");
  }
  return { cents: amount === undefined ? undefined : boundedCents(amount, world), dueAt, fields };
}

/** Page and size of a list. */
export function pageIn(query: URLSearchParams): { page: number; perPage: number } {
  const { perPage, maxPerPage: mostPerPage } = ASSUMPTIONS.lists.value;
  const whole = (name: string, standard: number, most: number) => {
    const value = query.get(name) ?? String(standard);
    const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= most) return number;
    throw invalidField(name, `expected a whole number from 1 to ${most}`);
  };
  return {
    page: whole("page", 1, 999_999_999),
    perPage: whole("per_page", perPage, mostPerPage),
  };
}
