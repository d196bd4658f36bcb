import * as z from "zod/mini";
import { amount, identifier, maybe, phoneNumber, type Schema, text } from "./schema.ts";

/**
 * State of a payment. Further values exist that the interface does not show: they pass through.
 *
 * @see Service interface, section 3.
 */
export type PaymentStatus = "pending" | "completed" | "failed" | (string & {});

/**
 * A payment. Only `status` is promised; the other fields come as the service gives them.
 * Narrow what is not shown by declaration merging.
 *
 * @see Service interface, section 2.
 */
export interface Payment {
  /** `pending`, `completed`, `failed`, or a value that the interface does not show. */
  status: PaymentStatus;
  /** Internal identifier. */
  payment_id?: number;
  /** Owner of the payment. */
  merchant_id?: number;
  /** What `gateway.payments.get(reference)` takes. */
  reference?: string;
  /** Decimal amount with two fraction digits, `"100.00"`. Never do float arithmetic on it. */
  amount?: string;
  /** Currency code, such as `"KES"`. */
  currency?: string;
  /** Customer phone in international digits, without a plus sign. */
  phone?: string;
  /** The label that the merchant gave, at most 12 characters. */
  account_reference?: string;
  /** Identifier of the payment prompt. */
  checkout_request_id?: string;
  /** Provider transaction identifier, once completed. */
  transaction_id?: string;
  /** Provider transaction identifier, once completed. */
  provider_transaction_id?: string;
  /** Provider result text, once completed. */
  provider_reference?: string;
  /** Payer label, once completed. */
  payer_name?: string;
  /** Why it failed, for the merchant. */
  failure_reason?: string;
  /** Why it failed, for the customer to read. */
  user_message?: string;
  /** Whether another try makes sense, once failed. */
  retry_possible?: boolean;
  [field: string]: unknown;
}

/**
 * A prompt to start: whom to charge, and how much.
 *
 * @see Service interface, section 4, "Payment initiation".
 */
export interface MobileMoneyPaymentParams {
  /** Amount to charge, in the account's currency: above 0, at most two decimals. */
  amount: number;
  /**
   * Customer phone, in any usual way of writing it (`0712 345 678`, `+254-712-345678`): 9 to 15
   * digits. Sent in digits.
   */
  phone: string;
  /** Free text shown for the payment. */
  description?: string | undefined;
  /** Your label, such as an order number, at most 12 characters. */
  account_reference?: string | undefined;
  /** Account to pay to. @default the merchant's default payment account */
  payment_account_id?: string | number | undefined;
}

/** What a prompt that was started gives back. */
export interface MobileMoneyPayment {
  /** What `gateway.payments.get(reference)` takes. Keep it with the order. */
  reference: string;
  /** Identifier of the prompt, where there is one already. */
  checkout_request_id?: string;
  [field: string]: unknown;
}

/** What `payments.initiate` sends. Not shown by the interface: narrow it by declaration merging. */
export interface PaymentParams {
  [field: string]: unknown;
}

/** What `payments.initiate` gives back. Not shown by the interface: narrow it by declaration merging. */
export interface InitiatedPayment {
  [field: string]: unknown;
}

/** What `mobileMoney.status` sends. Not shown by the interface: narrow it by declaration merging. */
export interface MobileMoneyStatusParams {
  [field: string]: unknown;
}

/** What `mobileMoney.status` gives back. Not shown by the interface: narrow it by declaration merging. */
export interface MobileMoneyStatus {
  [field: string]: unknown;
}

/** What `mobileMoney.validatePhone` gives back. Not shown by the interface: narrow it by declaration merging. */
export interface PhoneValidation {
  [field: string]: unknown;
}

export const mobileMoneyPaymentParams: Schema = z.looseObject(
  {
    amount,
    phone: phoneNumber,
    description: maybe(text),
    account_reference: maybe(
      // Characters, not UTF-16 units: an emoji is one.
      text.check(
        z.refine((label) => [...label].length <= 12, { error: "expected at most 12 characters" }),
      ),
    ),
    payment_account_id: maybe(identifier),
  },
  { error: "expected an object with amount and phone" },
);

export const phoneToValidate: Schema = z.looseObject(
  { phone: phoneNumber },
  { error: "expected an object with a phone" },
);

export const payment: Schema = z.looseObject(
  {
    status: text,
    payment_id: maybe(z.number({ error: "expected a number" })),
    merchant_id: maybe(z.number({ error: "expected a number" })),
    reference: maybe(text),
    amount: maybe(text),
    currency: maybe(text),
    phone: maybe(text),
    account_reference: maybe(text),
    checkout_request_id: maybe(text),
    transaction_id: maybe(text),
    provider_transaction_id: maybe(text),
    provider_reference: maybe(text),
    payer_name: maybe(text),
    failure_reason: maybe(text),
    user_message: maybe(text),
    retry_possible: maybe(z.boolean({ error: "expected true or false" })),
  },
  { error: "expected an object" },
);

export const mobileMoneyPayment: Schema = z.looseObject(
  {
    reference: text.check(z.minLength(1, { error: "expected a reference" })),
    checkout_request_id: maybe(text),
  },
  { error: "expected an object" },
);
