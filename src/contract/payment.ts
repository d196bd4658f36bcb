import * as z from "zod/mini";
import { MAX_ACCOUNT_REFERENCE } from "./limits.ts";
import { amount, type FieldChecks, identifier, phoneNumber, type Schema, text } from "./schema.ts";

/**
 * Status of a payment. `completed` and `failed` are final. The service has other statuses that it
 * does not document; they are passed on.
 *
 * @see docs/reference/service.md, "Payment status"
 */
export type PaymentStatus = "pending" | "completed" | "failed" | (string & {});

/**
 * The documented fields of a payment: what a read of it, or the `data` of its events, may contain. Only
 * `status` is always present. {@link Payment} is the interface that you declare your fields in.
 *
 * @see docs/reference/service.md, "Payments"
 */
export interface PaymentFields {
  /** `pending`, `completed`, `failed`, or a status that the service does not document. */
  status: PaymentStatus;
  /** Internal identifier. Use it, or `reference`, to find duplicate deliveries. */
  payment_id?: number;
  /** Identifier of the merchant that owns the payment. */
  merchant_id?: number;
  /** Reference of the payment, for reads of it. Use it to find duplicate deliveries. */
  reference?: string;
  /** Decimal amount with two digits after the point, `"100.00"`. Do not use float arithmetic. */
  amount?: string;
  /** Currency code, such as `"KES"`. */
  currency?: string;
  /** Phone of the customer: international digits without a plus sign, `"254712345678"`. */
  phone?: string;
  /** Your label for the payment, at most 12 characters. Used for paybill routing. */
  account_reference?: string;
  /** Identifier of the payment prompt. */
  checkout_request_id?: string;
  /** Transaction identifier of the provider. Only for completed payments. */
  transaction_id?: string;
  /** Transaction identifier of the provider. Only for completed payments. */
  provider_transaction_id?: string;
  /** Result text of the provider. Only for completed payments. */
  provider_reference?: string;
  /** Name of the payer. Only for completed payments. */
  payer_name?: string;
  /** Why the payment failed, for you. Only for failed payments. */
  failure_reason?: string;
  /** Why the payment failed, as a text for the customer. Only for failed payments. */
  user_message?: string;
  /** Whether it makes sense to start another payment. Only for failed payments. */
  retry_possible?: boolean;
}

/**
 * A payment. Only `status` is always present. The service decides which other fields it sends.
 * Declare undocumented fields by declaration merging.
 *
 * @see docs/reference/service.md, "Payments"
 */
export interface Payment extends PaymentFields {
  [field: string]: unknown;
}

/**
 * The parameters of `mobileMoney.initiate` and `mobileMoney.collect`: whom to charge, and how much.
 *
 * @example
 * ```ts
 * const params = { amount: 100, phone: "0712 345 678", account_reference: "ORDER-17" };
 * ```
 *
 * @see docs/reference/service.md, "Payment initiation"
 */
export interface MobileMoneyPaymentParams {
  /** Amount to charge in the unit of the currency (shillings, not cents): above 0, at most two decimals. */
  amount: number;
  /**
   * Phone of the customer: international digits, or a local number that starts with 0.
   *
   * @remarks 9 to 15 digits. Spaces, dots, hyphens, brackets, invisible characters and a plus sign are allowed
   * (`0712 345 678`, `+254-712-345678`) and removed before sending; so is a zero after the calling code
   * (`+254 (0)712 345 678`).
   */
  phone: string;
  /** Text that is shown for the payment. Set it to tell the customer what the payment is for. */
  description?: string | undefined;
  /**
   * Your label for the payment, at most 12 characters. Set it to find the order again: events and
   * reads of the payment contain it.
   */
  account_reference?: string | undefined;
  /**
   * Account that receives the payment. Set it if the merchant has several payment accounts.
   * @default the merchant's default payment account
   */
  payment_account_id?: string | number | undefined;
}

/** The result of `mobileMoney.initiate`. */
export interface MobileMoneyPayment {
  /** Reference of the payment, for reads of it. Store it with the order. */
  reference: string;
  /** Identifier of the payment prompt, if the service has one already. */
  checkout_request_id?: string;
  [field: string]: unknown;
}

/** The parameters of `payments.initiate`. Not documented: declare your fields by declaration merging. */
export interface PaymentParams extends Record<string, unknown> {}

/** The result of `payments.initiate`. Not documented: declare your fields by declaration merging. */
export interface InitiatedPayment extends Record<string, unknown> {}

/** The parameters of `mobileMoney.status`. Not documented: declare your fields by declaration merging. */
export interface MobileMoneyStatusParams extends Record<string, unknown> {}

/** The result of `mobileMoney.status`. Not documented: declare your fields by declaration merging. */
export interface MobileMoneyStatus extends Record<string, unknown> {}

/** The result of `mobileMoney.validatePhone`. Not documented: declare your fields by declaration merging. */
export interface PhoneValidation extends Record<string, unknown> {}

/** The body of `mobileMoney.validatePhone`, as it is sent. */
export interface PhoneToValidate {
  /** Phone of the customer: international digits, or a local number that starts with 0. */
  phone: string;
}

const accountReference = text.check(
  // Counts characters, not UTF-16 units: an emoji is one character.
  z.refine((label) => [...label].length <= MAX_ACCOUNT_REFERENCE, {
    error: `expected at most ${MAX_ACCOUNT_REFERENCE} characters`,
  }),
);

export const mobileMoneyPaymentParams: Schema = z.looseObject(
  {
    amount,
    phone: phoneNumber,
    description: z.optional(text),
    account_reference: z.optional(accountReference),
    payment_account_id: z.optional(identifier),
  } satisfies FieldChecks<MobileMoneyPaymentParams>,
  { error: "expected an object with amount and phone" },
);

export const phoneToValidate: Schema = z.looseObject(
  { phone: phoneNumber } satisfies FieldChecks<PhoneToValidate>,
  { error: "expected an object with a phone" },
);

export const payment: Schema = z.looseObject(
  {
    status: text,
    payment_id: z.optional(z.number({ error: "expected a number" })),
    merchant_id: z.optional(z.number({ error: "expected a number" })),
    reference: z.optional(text),
    amount: z.optional(text),
    currency: z.optional(text),
    phone: z.optional(text),
    account_reference: z.optional(text),
    checkout_request_id: z.optional(text),
    transaction_id: z.optional(text),
    provider_transaction_id: z.optional(text),
    provider_reference: z.optional(text),
    payer_name: z.optional(text),
    failure_reason: z.optional(text),
    user_message: z.optional(text),
    retry_possible: z.optional(z.boolean({ error: "expected true or false" })),
  } satisfies FieldChecks<PaymentFields>,
  { error: "expected an object" },
);

export const mobileMoneyPayment: Schema = z.looseObject(
  {
    reference: text.check(
      z.refine((reference) => reference !== "", { error: "expected a reference" }),
    ),
    checkout_request_id: z.optional(text),
  } satisfies FieldChecks<MobileMoneyPayment>,
  { error: "expected an object" },
);
