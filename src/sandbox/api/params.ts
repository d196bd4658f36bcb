import { EVENT_KINDS } from "../../contract/events.ts";
import {
  type MobileMoneyPaymentParams,
  mobileMoneyPaymentParams,
  phoneToValidate,
} from "../../contract/payment.ts";
import type { Schema } from "../../contract/schema.ts";
import { webhookChanges, webhookRegistration } from "../../contract/webhook.ts";
import { parseTimestamp } from "../clock/time.ts";
import { ErrorResponse, invalidField } from "../exchange/error-response.ts";
import type { InvoiceChange } from "../payments/invoices.ts";
import type { NewPayment } from "../payments/payments.ts";
import { kenyanMobile } from "../payments/phone-number.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { formatAmount, parseAmount } from "../state/money.ts";
import type { StoredWebhook } from "../state/stored.ts";
import type { Body } from "./parse-request.ts";

// Fields of requests are checked twice: against the contract, then against the choices of the sandbox.

function checked<T>(schema: Schema, body: Body): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data as T;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  throw invalidField(path.map(String).join("."), message);
}

/** @throws {ErrorResponse} for an amount outside the limits. */
function checkedAmount(amount: unknown, { settings }: SandboxState): number {
  const cents = parseAmount(amount);
  const { minCents, maxCents } = settings.limits;
  if (cents !== undefined && cents >= minCents && cents <= maxCents) return cents;
  throw invalidField(
    "amount",
    `expected ${formatAmount(minCents)} to ${formatAmount(maxCents)} with at most two decimals`,
  );
}

export function newPaymentFields(sandboxState: SandboxState, body: Body): NewPayment {
  const params = checked<MobileMoneyPaymentParams>(mobileMoneyPaymentParams, body);
  const phone = kenyanMobile(params.phone);
  if (phone === undefined) {
    throw invalidField("phone", "expected a Kenyan mobile number: 07 or 01, and eight more digits");
  }
  const { accountIds } = sandboxState.serializer;
  const [defaultAccount] = accountIds;
  const chosen = accountIds.find(
    (one) => String(one) === String(params.payment_account_id ?? defaultAccount),
  );
  if (chosen === undefined) {
    throw invalidField(
      "payment_account_id",
      `there is no such payment account; the ids are ${accountIds.join(" and ")}`,
    );
  }
  return {
    cents: checkedAmount(params.amount, sandboxState),
    phone,
    account_reference: params.account_reference ?? "",
    description: params.description ?? "",
    ...(chosen !== defaultAccount && { payment_account_id: chosen }),
  };
}

export function phoneField({ serializer }: SandboxState, body: Body): string {
  const result = phoneToValidate.safeParse(body);
  if (result.success) return (result.data as { phone: string }).phone;
  if (typeof body.phone !== "string") return checked(phoneToValidate, body);
  if (serializer.accepts("invalid_phone")) return body.phone;
  const [{ message } = { message: "" }] = result.error.issues;
  throw new ErrorResponse("invalid_phone", `phone: ${message}`, { field: "phone" });
}

export function webhookFields(body: Body, isChange: boolean): Partial<Omit<StoredWebhook, "id">> {
  const {
    name,
    url,
    events = isChange ? undefined : EVENT_KINDS,
  } = checked<Partial<StoredWebhook>>(isChange ? webhookChanges : webhookRegistration, body);
  if (name === "") throw invalidField("name", "expected a name that is not empty");
  if (events?.length === 0) throw invalidField("events", "expected at least one event kind");
  const unknown = events?.find((event) => !(EVENT_KINDS as readonly string[]).includes(event));
  if (unknown !== undefined) {
    throw invalidField(
      "events",
      `${JSON.stringify(unknown)} is not an event kind; the kinds are ${EVENT_KINDS.join(", ")}`,
    );
  }
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
  };
}

/** The fields of an invoice. Those that the sandbox does not know stay unchanged. */
export function invoiceFields(sandboxState: SandboxState, body: Body): InvoiceChange {
  const { id: _id, number: _number, status: _status, created_at: _created, ...rest } = body;
  const { amount, due_at, ...fields } = rest;
  const dueAt = parseTimestamp(due_at);
  if (due_at !== undefined && dueAt === undefined) {
    const expected = "expected ISO 8601 with an offset, such as 2026-01-31T18:00:00+03:00";
    throw invalidField("due_at", expected);
  }
  return {
    cents: amount === undefined ? undefined : checkedAmount(amount, sandboxState),
    dueAt,
    fields,
  };
}
