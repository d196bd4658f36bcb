import { formatTimestamp } from "../clock/time.ts";
import { formatAmount } from "../state/money.ts";
import type { StoredInvoice, StoredPayment } from "../state/stored.ts";

/** A payment as a response and `payment.completed` show it: the documented fields. */
export function paymentView(payment: StoredPayment): Record<string, unknown> {
  const { transaction_id, failure } = payment;
  return {
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    reference: payment.reference,
    amount: formatAmount(payment.cents),
    currency: payment.currency,
    phone: payment.phone,
    status: payment.status,
    account_reference: payment.account_reference,
    ...(payment.checkout_request_id && { checkout_request_id: payment.checkout_request_id }),
    ...(transaction_id && {
      transaction_id,
      provider_transaction_id: transaction_id,
      provider_reference: "The service request is processed successfully.",
      payer_name: "SANDBOX CUSTOMER",
    }),
    ...(failure && failureFields(failure)),
  };
}

const failureFields = (failure: NonNullable<StoredPayment["failure"]>) => ({
  failure_reason: failure.reason,
  user_message: failure.userMessage,
  retry_possible: failure.retryPossible,
});

/** `data` of `payment.failed`: it has fewer fields than a response. */
export function failedPaymentView({
  payment_id,
  reference,
  cents,
  status,
  failure,
}: StoredPayment) {
  return {
    payment_id,
    reference,
    amount: formatAmount(cents),
    status,
    ...(failure && failureFields(failure)),
  };
}

/** An invoice as a response shows it: the merchant's own fields, then the sandbox's. */
export function invoiceView(invoice: StoredInvoice): Record<string, unknown> {
  const { id, number, status, cents, dueAt, createdAt, fields } = invoice;
  return {
    ...fields,
    id,
    number,
    status,
    ...(cents === undefined ? {} : { amount: formatAmount(cents) }),
    due_at: formatTimestamp(dueAt),
    created_at: formatTimestamp(createdAt),
  };
}
