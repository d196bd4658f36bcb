import { BASE } from "../base.ts";
import { decimal, documentedPayment, nairobi, token, uuid, zulu } from "../format.ts";
import type { Dialect } from "../types.ts";

/** Dialects whose responses have an envelope with `data`. */
export const ENVELOPED: readonly Dialect[] = [
  {
    ...BASE,
    name: "plain",
    about: "close to the interface; 204 for deletions, 400 for invalid fields, numeric ids",
    statuses: { ...BASE.statuses, deleted: 204, initiated: 201 },
    rejections: { ...BASE.rejections, invalidField: 400, wrongKind: 401 },
    reject: ({ message, n }) => ({ success: false, error: message, request_id: uuid(`r${n}`) }),
    headers: ({ n }) => ({ "x-request-id": uuid(`r${n}`) }),
    delivery: {
      prefix: "sha256=",
      retriesMs: [5_000, 30_000],
      headers: ({ at }) => ({ "x-service-timestamp": String(Math.floor(at.getTime() / 1000)) }),
    },
  },
  {
    ...BASE,
    name: "laravel",
    about: "links and meta beside data, errors by field, rate-limit headers",
    wrap: (data, { documented }) => (documented ? { success: true, data } : { data }),
    list: (data, { page, size, total, offset, count, path }) => ({
      data,
      links: {
        first: `https://api.example/v1${path}?page=1`,
        last: `https://api.example/v1${path}?page=${Math.max(Math.ceil(total / size), 1)}`,
        prev: page > 1 ? `https://api.example/v1${path}?page=${page - 1}` : null,
        next: page * size < total ? `https://api.example/v1${path}?page=${page + 1}` : null,
      },
      meta: {
        current_page: page,
        from: count > 0 ? offset + 1 : null,
        last_page: Math.max(Math.ceil(total / size), 1),
        path: `https://api.example/v1${path}`,
        per_page: size,
        to: count > 0 ? offset + count : null,
        total,
      },
    }),
    paging: { kind: "page", at: "page", size: "per_page", defaultSize: 15, maxSize: 50 },
    statuses: { ...BASE.statuses, deleted: 204 },
    reject: ({ cause, message, field }) => ({
      message,
      ...(cause === "invalidField" && { errors: { [field]: [message] } }),
    }),
    ids: { ...BASE.ids, reference: (n) => uuid(`payment ${n}`) },
    views: {
      ...BASE.views,
      merchant: () => ({
        id: 77,
        name: "Shop",
        email: "shop@example.com",
        created_at: "2025-01-01T00:00:00.000000Z",
        settings: { sms: true, colours: ["red", "blue"], fee: "1.50" },
      }),
      payment: (payment) => ({
        ...documentedPayment(payment),
        created_at: zulu(payment.createdAt),
        processed_at: payment.finalAt ? zulu(payment.finalAt) : null,
        customer: { name: null, phone: payment.phone, country: "KE" },
      }),
      paymentItem: ({ reference, cents, state, createdAt }) => ({
        reference,
        amount: decimal(cents),
        status: state,
        created_at: zulu(createdAt),
      }),
      invoice: (invoice, id) => ({
        ...BASE.views.invoice(invoice, id),
        currency: "KES",
        items: [{ name: "Goods", quantity: 1, price: decimal(invoice.cents ?? 100) }],
      }),
      webhook: (webhook, id) => ({
        ...BASE.views.webhook(webhook, id),
        active: true,
        created_at: zulu(webhook.createdAt),
      }),
    },
    headers: ({ left }) => ({
      "x-ratelimit-limit": "600",
      "x-ratelimit-remaining": String(left),
    }),
    delivery: {
      prefix: "sha256=",
      retriesMs: [60_000, 300_000, 900_000, 3_600_000],
      headers: ({ event, attempt }) => ({
        "x-service-event": event,
        "x-service-attempt": String(attempt),
        "user-agent": "Gateway/2.1",
      }),
    },
  },
  {
    ...BASE,
    name: "nested",
    about: "data holds the resource under its name; pagination beside the list; other statuses",
    wrap: (data, { documented, resource }) => ({
      success: true,
      message: "OK",
      data: documented ? data : { [resource]: data },
    }),
    list: (items, { page, size, total }, name) => ({
      success: true,
      message: "OK",
      data: {
        [name]: items,
        pagination: {
          page,
          limit: size,
          total_pages: Math.max(Math.ceil(total / size), 1),
          total_items: total,
        },
      },
    }),
    paging: { kind: "page", at: "page", size: "limit", defaultSize: 10, maxSize: 100 },
    statuses: { created: 200, initiated: 202, deleted: 200, sent: 202 },
    rejections: { ...BASE.rejections, invalidField: 400, unknownKey: 403, wrongMethod: 404 },
    reject: ({ cause, message }) => ({
      success: false,
      error: { code: cause.toUpperCase(), message },
    }),
    ids: {
      reference: (n) => `PMT-${token(`p${n}`, 8)}`,
      invoice: (n) => `inv_${token(`i${n}`, 14)}`,
      webhook: (n) => `whk_${token(`w${n}`, 14)}`,
      account: (n) => `acc_${token(`a${n}`, 14)}`,
    },
    views: {
      ...BASE.views,
      payment: (payment) => ({
        ...documentedPayment(payment),
        status: payment.why === "cancelled" ? "cancelled" : payment.state,
        fee: decimal(Math.ceil(payment.cents / 100)),
        tags: ["mobile"],
      }),
      paymentItem: (payment) => ({
        ...documentedPayment(payment),
        status: payment.why === "cancelled" ? "cancelled" : payment.state,
        fee: decimal(Math.ceil(payment.cents / 100)),
        tags: ["mobile"],
      }),
      webhook: ({ name, url, events, createdAt }, webhook_id) => ({
        webhook_id,
        name,
        url,
        events,
        secret_hint: "wh…3f",
        created_at: nairobi(createdAt),
      }),
      invoice: (invoice, invoice_id) => {
        const { id: _, ...rest } = BASE.views.invoice(invoice, invoice_id);
        return { invoice_id, ...rest };
      },
      deleted: () => ({ removed: true }),
    },
    delivery: {
      prefix: "",
      retriesMs: [],
      headers: ({ n }) => ({ "x-event-id": uuid(`e${n}`) }),
    },
  },
  {
    ...BASE,
    name: "spring",
    about: "data is a page object with content; camel case; every rejection is a 400",
    list: (content, { page, size, total, count }) => ({
      success: true,
      data: {
        content,
        number: page,
        size,
        numberOfElements: count,
        totalElements: total,
        totalPages: Math.ceil(total / size),
        first: page === 1,
        last: page * size >= total,
        empty: count === 0,
      },
    }),
    paging: { kind: "page", at: "page", size: "size", defaultSize: 20, maxSize: 200 },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: {
      noKey: 400,
      unknownKey: 400,
      wrongKind: 400,
      missingScope: 400,
      unknownId: 400,
      invalidField: 400,
      invalidJson: 400,
      unknownPath: 400,
      wrongMethod: 400,
      rateLimit: 429,
    },
    reject: ({ status, message, path, cause }) => ({
      success: false,
      timestamp: "2026-03-02T08:00:00.000+00:00",
      status,
      error: message,
      path,
      ...(cause === "invalidField" && { violations: [{ field: "amount", reason: message }] }),
    }),
    ids: { ...BASE.ids, invoice: (n) => uuid(`invoice ${n}`), webhook: (n) => uuid(`hook ${n}`) },
    views: {
      ...BASE.views,
      invoice: (invoice, uuid) => {
        const { n, cents, state, createdAt, fields } = invoice;
        return {
          uuid,
          invoiceNumber: `F${n}`,
          amount: (cents ?? 0) / 100,
          description: fields.description ?? null,
          status: state.toUpperCase(),
          createdAt: zulu(createdAt),
          metadata: {},
        };
      },
      webhook: ({ name, url, events }, uuid) => ({ uuid, name, url, events, enabled: true }),
      deleted: () => null,
    },
    rejectsBadPhones: false,
    delivery: {
      prefix: "",
      retriesMs: [1_000, 2_000, 4_000, 8_000, 15_000],
      headers: ({ at }) => ({ "x-timestamp": zulu(at) }),
    },
  },
];
