import { BASE } from "../base.ts";
import { decimal, documentedPayment, token, unixSeconds, uuid, zulu } from "../format.ts";
import type { Dialect } from "../types.ts";

const bare: Dialect["wrap"] = (data, { documented }) =>
  documented ? { success: true, data } : data;

/** Dialects with another envelope than `data`, or with none. */
export const BARE: readonly Dialect[] = [
  {
    ...BASE,
    name: "offset",
    about: "result in the place of data, limit and offset, uuid in the place of id",
    wrap: (data, { documented }) =>
      documented ? { success: true, data } : { success: true, result: data },
    list: (result, { size, offset, total }) => ({
      success: true,
      result,
      total,
      limit: size,
      offset,
    }),
    paging: { kind: "offset", at: "offset", size: "limit", defaultSize: 25, maxSize: 100 },
    statuses: { created: 201, initiated: 200, deleted: 202, sent: 202 },
    rejections: { ...BASE.rejections, wrongKind: 401, unknownId: 410, unknownPath: 404 },
    reject: ({ message, status }) => ({ success: false, error: message, code: status }),
    ids: {
      reference: (n) => String(100_000_000_000 + n * 7_919),
      invoice: (n) => uuid(`invoice ${n}`),
      webhook: (n) => uuid(`webhook ${n}`),
      account: (n) => uuid(`account ${n}`),
    },
    views: {
      ...BASE.views,
      payment: (payment) => ({
        ...documentedPayment(payment),
        status: payment.why === "expired" ? "expired" : payment.state,
        created_at: unixSeconds(payment.createdAt),
        channel: "stk",
      }),
      paymentItem: (payment) => ({
        ...documentedPayment(payment),
        status: payment.why === "expired" ? "expired" : payment.state,
        created_at: unixSeconds(payment.createdAt),
        channel: "stk",
      }),
      invoice: (invoice, uuid) => {
        const { id: _, due_at: __, created_at: ___, ...rest } = BASE.views.invoice(invoice, uuid);
        return { uuid, ...rest, created_at: unixSeconds(invoice.createdAt), balance: "0.00" };
      },
      webhook: ({ name, url, events }, uuid) => ({ uuid, name, url, events }),
      deleted: (uuid) => ({ uuid, status: "deleted" }),
    },
    events: {
      ...BASE.events,
      "payment.initiated": ({ n, reference }) => ({ payment_id: n, reference, channel: "stk" }),
    },
    delivery: {
      prefix: "sha256=",
      retriesMs: [15_000, 15_000, 15_000],
      headers: ({ n, at }) => ({
        "x-webhook-id": `evt_${token(`e${n}`, 12)}`,
        "x-webhook-timestamp": String(unixSeconds(at)),
      }),
    },
  },
  {
    ...BASE,
    name: "cursor",
    about: "no envelope, a cursor, problem details as errors, ids under the name of the resource",
    wrap: bare,
    list: (items, { page, size, total }) => ({
      items,
      has_more: page * size < total,
      next_cursor: page * size < total ? token(`cursor ${page}`, 16) : null,
    }),
    paging: { kind: "cursor", at: "cursor", size: "limit", defaultSize: 10, maxSize: 100 },
    statuses: { created: 201, initiated: 202, deleted: 204, sent: 204 },
    reject: ({ status, message, path, cause }) => ({
      type: `https://errors.example/${cause}`,
      title: message,
      status,
      detail: message,
      instance: path,
    }),
    ids: {
      reference: (n) => `pay_${token(`p${n}`, 20)}`,
      invoice: (n) => `inv_${token(`i${n}`, 20)}`,
      webhook: (n) => `hook_${token(`w${n}`, 20)}`,
      account: (n) => `acct_${token(`a${n}`, 20)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ object: "merchant", id: `mer_${token("m", 12)}`, livemode: false }),
      payment: (payment) => ({
        ...documentedPayment(payment),
        object: "payment",
        metadata: { source: "api", attempts: [{ at: zulu(payment.createdAt), ok: true }] },
      }),
      paymentItem: (payment) => ({ ...documentedPayment(payment), object: "payment" }),
      invoice: (invoice, invoice_id) => {
        const { id: _, ...rest } = BASE.views.invoice(invoice, invoice_id);
        return { invoice_id, object: "invoice", ...rest, lines: [] };
      },
      webhook: ({ name, url, events }, webhook_id) => ({
        webhook_id,
        object: "webhook",
        name,
        url,
        events,
      }),
    },
    delivery: {
      prefix: "",
      retriesMs: [60_000, 3_600_000],
      headers: ({ event, n }) => ({ "x-event-type": event, "x-delivery-id": uuid(`d${n}`) }),
    },
  },
  {
    ...BASE,
    name: "arrays",
    about: "lists are bare arrays and have no paging; everything is 200; errors are one message",
    wrap: bare,
    list: (items) => items,
    paging: { kind: "none" },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: { ...BASE.rejections, missingScope: 401, invalidField: 400 },
    reject: ({ message }) => ({ message }),
    views: {
      ...BASE.views,
      payment: (payment) => ({ ...documentedPayment(payment), amount_minor: payment.cents }),
      paymentItem: ({ reference, state }) => ({ reference, status: state }),
      deleted: () => ({ message: "Deleted." }),
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [30_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "strict",
    about: "rejects unknown fields; no paging, but a count; OAuth errors",
    wrap: (data, { documented, n }) =>
      documented
        ? { success: true, data, request_id: uuid(`r${n}`) }
        : { ok: true, payload: data, request_id: uuid(`r${n}`) },
    list: (payload, { total }) => ({ ok: true, payload, count: total, request_id: uuid("list") }),
    paging: { kind: "none" },
    statuses: { created: 201, initiated: 201, deleted: 200, sent: 200 },
    rejections: { ...BASE.rejections, unknownKey: 403, invalidField: 422, unknownPath: 400 },
    reject: ({ cause, message }) => ({ ok: false, error: cause, error_description: message }),
    ids: { ...BASE.ids, reference: (n) => `${token(`r${n}`, 6)}-${token(`s${n}`, 6)}` },
    isStrict: true,
    views: {
      ...BASE.views,
      phone: (phone, valid) => ({ valid, phone, carrier: valid ? "Safaricom" : null }),
      invoice: (invoice, id) => ({
        ...BASE.views.invoice(invoice, id),
        totals: { net: decimal(invoice.cents ?? 0), tax: "0.00", rate: 0.16 },
      }),
    },
    delivery: {
      prefix: "sha256=",
      retriesMs: [10_000, 20_000, 45_000],
      headers: ({ at, attempt }) => ({
        "x-signature-timestamp": zulu(at),
        "x-retry-count": String(attempt - 1),
      }),
    },
  },
];
