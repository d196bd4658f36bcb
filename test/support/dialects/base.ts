import { decimal, digits, documentedFailure, documentedPayment, nairobi, token } from "./format.ts";
import type { Dialect } from "./types.ts";

/** What a dialect of the table does unless its row says otherwise. */
export const BASE: Omit<Dialect, "name" | "about"> = {
  wrap: (data) => ({ success: true, data }),
  list: (items, { page, size, total }) => ({
    success: true,
    data: items,
    meta: { page, per_page: size, total },
  }),
  paging: { kind: "page", at: "page", size: "per_page", defaultSize: 20, maxSize: 100 },
  statuses: { created: 201, initiated: 200, deleted: 200, sent: 200 },
  rejections: {
    noKey: 401,
    unknownKey: 401,
    wrongKind: 403,
    missingScope: 403,
    unknownId: 404,
    invalidField: 422,
    invalidJson: 400,
    unknownPath: 404,
    wrongMethod: 405,
    rateLimit: 429,
  },
  reject: ({ message }) => ({ success: false, error: message }),
  ids: {
    reference: (n) => `TX${token(`reference ${n}`, 10)}`,
    invoice: (n) => 5000 + n,
    webhook: (n) => 800 + n,
    account: (n) => n,
  },
  views: {
    merchant: () => ({ merchant_id: 77, name: "Shop", currency: "KES" }),
    account: (id) => ({ payment_account_id: id, name: "Till", currency: "KES" }),
    payment: documentedPayment,
    paymentItem: documentedPayment,
    initiated: ({ reference, checkout }) => ({
      reference,
      ...(checkout && { checkout_request_id: checkout }),
    }),
    phone: (phone, valid) => ({ valid, phone }),
    webhook: ({ name, url, events }, id) => ({ id, name, url, events }),
    invoice: ({ n, fields, cents, state, createdAt, dueAt }, id) => ({
      id,
      number: `INV-${String(n).padStart(4, "0")}`,
      ...(fields.description !== undefined && { description: fields.description }),
      ...(cents !== undefined && { amount: decimal(cents) }),
      status: state,
      due_at: nairobi(dueAt),
      created_at: nairobi(createdAt),
    }),
    deleted: (id) => ({ id, deleted: true }),
  },
  events: {
    "payment.initiated": documentedPayment,
    "payment.completed": documentedPayment,
    "payment.failed": documentedFailure,
  },
  delivery: { prefix: "", retriesMs: [10_000, 60_000, 300_000], headers: () => ({}) },
  headers: () => ({}),
  hasScopes: true,
  isStrict: false,
  rejectsBadPhones: true,
};

/** The checkout request id of a payment. */
export const checkoutId = (n: number): string => `ws_CO_${digits(`checkout ${n}`, 18)}`;
