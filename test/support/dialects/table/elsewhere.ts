import { BASE } from "../base.ts";
import {
  envelope,
  hook,
  isLater,
  links,
  NOT_AT_HAND,
  note,
  pages,
  secondsZulu,
  statusIn,
  units,
  withFields,
} from "../conventions.ts";
import { decimal, digits, local, token, unixSeconds, uuid, zulu } from "../format.ts";
import type { Cause, Dialect, Fields } from "../types.ts";

// The conventions of real services, from the pages that `source` of each row names, put on the parts
// that our interface leaves open. Nothing in `src` is written for one of them.

const SQUARE_CODES: Readonly<Partial<Record<Cause, string>>> = {
  noKey: "UNAUTHORIZED",
  unknownKey: "UNAUTHORIZED",
  wrongKind: "FORBIDDEN",
  missingScope: "INSUFFICIENT_SCOPES",
};

const PAYPAL_NAMES: Readonly<Partial<Record<Cause, string>>> = {
  noKey: "AUTHENTICATION_FAILURE",
  unknownKey: "AUTHENTICATION_FAILURE",
  unknownId: "RESOURCE_NOT_FOUND",
};

const GOCARDLESS_REASONS: Readonly<Partial<Record<Cause, string>>> = {
  noKey: "access_token_not_found",
  unknownKey: "access_token_not_found",
  wrongKind: "forbidden",
  missingScope: "insufficient_permissions",
  invalidJson: "bad_request",
};

export const ELSEWHERE: readonly Dialect[] = [
  {
    ...BASE,
    name: "stripe",
    about: "Stripe",
    source: [
      "paging: https://docs.stripe.com/api/pagination",
      `invoices and errors (https://docs.stripe.com/api/invoices/object, https://docs.stripe.com/api/errors): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => data),
    list: (data, { page, size, total, path }) => ({
      object: "list",
      data,
      has_more: isLater(page, size, total),
      url: `/v1${path}`,
    }),
    paging: {
      kind: "cursor",
      at: "starting_after",
      size: "limit",
      defaultSize: 10,
      maxSize: 100,
      next: ({ data, has_more }) => has_more && (data as Fields[]).at(-1)?.id,
    },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: { ...BASE.rejections, invalidField: 400, wrongMethod: 404, wrongKind: 403 },
    reject: ({ cause, message, field }) => ({
      error: {
        ...(cause === "unknownId" && { code: "resource_missing" }),
        doc_url: "https://docs.stripe.com/error-codes",
        message,
        ...(field !== "" && { param: field }),
        type: "invalid_request_error",
      },
    }),
    ids: {
      reference: (n) => `pi_${token(`p${n}`, 24)}`,
      invoice: (n) => `in_${token(`i${n}`, 24)}`,
      webhook: (n) => `we_${token(`w${n}`, 24)}`,
      account: (n) => `acct_${token(`a${n}`, 16)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({
        id: `acct_${token("m", 16)}`,
        object: "account",
        charges_enabled: true,
        country: "KE",
        default_currency: "kes",
        email: null,
      }),
      account: (payment_account_id) => ({
        payment_account_id,
        object: "bank_account",
        last4: "6789",
      }),
      payment: withFields((one) => ({
        object: "payment_intent",
        created: unixSeconds(one.createdAt),
        livemode: false,
        metadata: {},
        canceled_at: one.why === "cancelled" ? unixSeconds(one.finalAt ?? one.createdAt) : null,
      })),
      paymentItem: withFields((one) => ({
        id: one.reference,
        object: "payment_intent",
        created: unixSeconds(one.createdAt),
        livemode: false,
      })),
      webhook: (one, id) => ({
        id,
        object: "webhook_endpoint",
        api_version: null,
        created: unixSeconds(one.createdAt),
        events: one.events,
        name: one.name,
        livemode: false,
        status: "enabled",
        url: one.url,
      }),
      invoice: (one, id) => ({
        id,
        object: "invoice",
        amount_due: one.cents ?? 0,
        amount_paid: 0,
        currency: "kes",
        created: unixSeconds(one.createdAt),
        description: note(one),
        due_date: unixSeconds(one.dueAt),
        hosted_invoice_url: one.state === "draft" ? null : "https://invoice.example/i/acct",
        lines: { object: "list", data: [], has_more: false, url: `/v1/invoices/${id}/lines` },
        livemode: false,
        metadata: {},
        status: statusIn({ sent: "open" }, one),
      }),
      deleted: (id) => ({ id, object: "deleted", deleted: true }),
    },
    headers: ({ n }) => ({ "request-id": `req_${token(`r${n}`, 14)}` }),
    delivery: {
      prefix: "",
      retriesMs: [3_600_000, 7_200_000],
      headers: ({ at }) => ({ "x-event-timestamp": String(unixSeconds(at)) }),
    },
  },
  {
    ...BASE,
    name: "adyen",
    about: "Adyen Management API",
    source: [
      "lists: https://docs.adyen.com/api-explorer/Management/1/get/companies/_companyId_/webhooks",
      "paging: https://docs.adyen.com/api-explorer/Management/1/get/merchants/_merchantId_/webhooks",
      `errors (https://docs.adyen.com/api-explorer/Management/latest/overview): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data, resource) => ({ ...(data as Fields), _links: links(`/${resource}`) })),
    list: (data, { total, page, size, path }) => ({
      _links: {
        first: links(path).self,
        last: links(path).self,
        ...(isLater(page, size, total) && { next: links(path).self }),
        ...(page > 1 && { prev: links(path).self }),
        self: links(path).self,
      },
      accountReference: "ShopKE",
      data,
      itemsTotal: total,
      pagesTotal: pages(total, size),
    }),
    paging: { kind: "page", at: "pageNumber", size: "pageSize", defaultSize: 10, maxSize: 100 },
    statuses: { created: 200, initiated: 201, deleted: 204, sent: 200 },
    rejections: { ...BASE.rejections, invalidField: 422, unknownId: 422, wrongMethod: 405 },
    reject: ({ status, message, cause, n, field }) => ({
      detail: message,
      errorCode: `${status === 422 ? 30 : 0}_${status}`,
      ...(cause === "invalidField" && { invalidFields: [{ message, name: field }] }),
      requestId: token(`r${n}`, 16),
      status,
      title: "The request failed",
      type: `https://docs.example/errors/${cause}`,
    }),
    ids: {
      reference: (n) => token(`p${n}`, 16),
      invoice: (n) => `INV${token(`i${n}`, 20)}`,
      webhook: (n) => `WBHK${token(`w${n}`, 20)}`,
      account: (n) => `BA${token(`a${n}`, 20)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: "ShopKE", status: "Active", companyId: "ShopCompany" }),
      payment: withFields((one) => ({ pspReference: token(`psp ${one.n}`, 16) })),
      paymentItem: withFields((one) => ({ pspReference: token(`psp ${one.n}`, 16) })),
      webhook: (one, id) => ({
        id,
        type: "standard",
        ...hook(one),
        active: true,
        hasError: false,
        additionalSettings: { properties: { addRawData: false } },
      }),
      invoice: (one, id) => ({
        id,
        amount: { currency: "KES", value: one.cents ?? 0 },
        description: note(one),
        expiresAt: zulu(one.dueAt),
        status: statusIn({ draft: "active" }, one),
        reusable: false,
      }),
    },
    delivery: { prefix: "", retriesMs: [120_000, 300_000, 600_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "square",
    about: "Square",
    source: [
      "codes of errors: https://developer.squareup.com/reference/square/enums/ErrorCode",
      `invoices (https://developer.squareup.com/reference/square/invoices-api): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data: Fields, resource) => (resource === "result" ? {} : { [resource]: data })),
    list: (items, { page, size, total }, name) => ({
      [name]: items,
      ...(isLater(page, size, total) && { cursor: token(`cursor ${page}`, 24) }),
    }),
    paging: {
      kind: "cursor",
      at: "cursor",
      size: "limit",
      defaultSize: 20,
      maxSize: 200,
      next: ({ cursor }) => cursor,
    },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, message, field }) => ({
      errors: [
        {
          category: SQUARE_CODES[cause] ? "AUTHENTICATION_ERROR" : "INVALID_REQUEST_ERROR",
          code: SQUARE_CODES[cause] ?? (cause.startsWith("unknown") ? "NOT_FOUND" : "BAD_REQUEST"),
          detail: message,
          ...(field !== "" && { field }),
        },
      ],
    }),
    ids: {
      reference: (n) => token(`p${n}`, 22),
      invoice: (n) => `inv:0-${token(`i${n}`, 26)}`,
      webhook: (n) => `wbhk_${token(`w${n}`, 20)}`,
      account: (n) => `LH${token(`a${n}`, 11)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: "ML8M1A", business_name: "Shop", country: "KE", status: "ACTIVE" }),
      account: (payment_account_id) => ({ payment_account_id, name: "Till", status: "ACTIVE" }),
      payment: withFields((one) => ({
        amount_money: { amount: one.cents, currency: "KES" },
        created_at: zulu(one.createdAt),
        version_token: token(`v${one.n}`, 20),
      })),
      paymentItem: withFields((one) => ({
        amount_money: { amount: one.cents, currency: "KES" },
        created_at: zulu(one.createdAt),
      })),
      webhook: (one, id) => ({
        id,
        ...hook(one),
        enabled: true,
        api_version: "2024-01-18",
        signature_key: token(`k${one.n}`, 22),
        created_at: zulu(one.createdAt),
      }),
      invoice: (one, id) => ({
        id,
        version: 0,
        location_id: token("location", 13),
        payment_requests: [
          {
            uid: uuid(`u${one.n}`),
            computed_amount_money: { amount: one.cents ?? 0, currency: "KES" },
          },
        ],
        invoice_number: String(one.n).padStart(6, "0"),
        title: note(one),
        status: statusIn({ sent: "UNPAID" }, one).toUpperCase(),
        timezone: "Etc/UTC",
        created_at: zulu(one.createdAt),
      }),
    },
    delivery: {
      prefix: "",
      retriesMs: [60_000, 120_000, 240_000],
      headers: ({ attempt }) => ({ "x-retry-number": String(attempt - 1) }),
    },
  },
  {
    ...BASE,
    name: "paypal",
    about: "PayPal Invoicing v2",
    source: [
      "errors: https://developer.paypal.com/invoicing/errors.md",
      `invoices (https://developer.paypal.com/docs/api/invoicing/v2/): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => data),
    list: (items, { total, size, path }) => ({
      total_items: total,
      total_pages: pages(total, size),
      items,
      links: [{ href: `https://api.example/v2${path}`, rel: "self", method: "GET" }],
    }),
    paging: { kind: "page", at: "page", size: "page_size", defaultSize: 20, maxSize: 100 },
    statuses: { created: 201, initiated: 201, deleted: 204, sent: 202 },
    rejections: { ...BASE.rejections, invalidField: 400, invalidJson: 400 },
    reject: ({ cause, message, field, n }) => ({
      name: PAYPAL_NAMES[cause] ?? "INVALID_REQUEST",
      message,
      debug_id: digits(`d${n}`, 13),
      details:
        field === ""
          ? []
          : [{ field: `/${field}`, issue: "INVALID_FORMAT", description: message, path: "body" }],
      links: [{ rel: "information_link", href: "https://docs.example/invoicing/errors/" }],
    }),
    ids: {
      reference: (n) => token(`p${n}`, 17),
      invoice: (n) => `INV2-${token(`a${n}`, 4)}-${token(`b${n}`, 4)}-${token(`c${n}`, 4)}`,
      webhook: (n) => token(`w${n}`, 17),
      account: (n) => n,
    },
    views: {
      ...BASE.views,
      payment: withFields((one) => ({
        create_time: secondsZulu(one.createdAt),
        links: [{ href: "https://api.example/v2/payments", rel: "self", method: "GET" }],
      })),
      paymentItem: withFields((one) => ({ create_time: secondsZulu(one.createdAt) })),
      webhook: (one, id) => ({
        id,
        ...hook(one),
        links: [{ href: `https://api.example/v1/webhooks/${id}`, rel: "self", method: "GET" }],
      }),
      invoice: (one, id) => ({
        id,
        status: one.state.toUpperCase(),
        detail: {
          invoice_number: `#${one.n}`,
          currency_code: "KES",
          note: note(one),
          invoice_date: zulu(one.createdAt).slice(0, 10),
          payment_term: { due_date: zulu(one.dueAt).slice(0, 10) },
        },
        amount: { currency_code: "KES", value: decimal(one.cents ?? 0) },
        links: [{ href: `https://api.example/v2/invoices/${id}`, rel: "self", method: "GET" }],
      }),
    },
    headers: ({ n }) => ({ "paypal-debug-id": digits(`d${n}`, 13) }),
    delivery: {
      prefix: "",
      retriesMs: [60_000, 300_000],
      headers: ({ n, at }) => ({
        "x-transmission-id": uuid(`t${n}`),
        "x-transmission-time": secondsZulu(at),
      }),
    },
  },
  {
    ...BASE,
    name: "razorpay",
    about: "Razorpay",
    source: [
      "errors: https://razorpay.com/docs/errors",
      "errors of keys: https://razorpay.com/docs/my/api/payments/invoices/fetch-all",
      `lists and invoices (https://razorpay.com/docs/api/payments/invoices/): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => data),
    list: (items, { count }) => ({ entity: "collection", count, items }),
    paging: { kind: "offset", at: "skip", size: "count", defaultSize: 10, maxSize: 100 },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: { ...BASE.rejections, invalidField: 400, unknownId: 400, wrongKind: 401 },
    reject: ({ cause, message, field }) => ({
      error: {
        code: "BAD_REQUEST_ERROR",
        description: message,
        ...(/Key$/.test(cause)
          ? { source: "NA", step: "NA", reason: "NA" }
          : {
              field: field || null,
              source: "business",
              step: "payment_initiation",
              reason: "input_validation_failed",
            }),
        metadata: {},
      },
    }),
    ids: {
      reference: (n) => `pay_${token(`p${n}`, 14)}`,
      invoice: (n) => `inv_${token(`i${n}`, 14)}`,
      webhook: (n) => token(`w${n}`, 14),
      account: (n) => `acc_${token(`a${n}`, 14)}`,
    },
    views: {
      ...BASE.views,
      payment: withFields((one) => ({
        entity: "payment",
        captured: one.state === "completed",
        fee: one.receipt ? Math.round(one.cents * 0.02) : null,
        error_code: one.why ? "BAD_REQUEST_ERROR" : null,
        notes: [],
        created_at: unixSeconds(one.createdAt),
      })),
      paymentItem: withFields((one) => ({
        entity: "payment",
        notes: [],
        created_at: unixSeconds(one.createdAt),
      })),
      webhook: (one, id) => ({
        id,
        entity: "webhook",
        ...hook(one),
        active: true,
        created_at: unixSeconds(one.createdAt),
      }),
      invoice: (one, id) => ({
        id,
        entity: "invoice",
        receipt: null,
        invoice_number: null,
        status: statusIn({ sent: "issued" }, one),
        issued_at: one.state === "draft" ? null : unixSeconds(one.createdAt),
        amount: one.cents ?? 0,
        amount_paid: 0,
        currency: "KES",
        description: note(one),
        expire_by: unixSeconds(one.dueAt),
        short_url: "https://rzp.example/i/abc",
        created_at: unixSeconds(one.createdAt),
      }),
      deleted: () => [],
    },
    delivery: {
      prefix: "",
      retriesMs: [60_000, 300_000, 900_000],
      headers: ({ n }) => ({ "x-event-id": token(`e${n}`, 14) }),
    },
  },
  {
    ...BASE,
    name: "gocardless",
    about: "GoCardless",
    source: [
      "errors: http://pullrequest.ru/10458576/api-gocardless-ispolzovaniem-classic-asp",
      "fields of errors: https://help.netquarry.com/html/4199641f-dde4-cf71-a8c0-7ea0ddff0f2f.htm",
      `paging (https://developer.gocardless.com/api-reference/): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data: Fields, resource) => ({ [`${resource}s`]: data })),
    list: (items, { page, size, total }, name) => ({
      [name]: items,
      meta: {
        cursors: {
          before: page > 1 ? token(`before ${page}`, 12) : null,
          after: isLater(page, size, total) ? token(`after ${page}`, 12) : null,
        },
        limit: size,
      },
    }),
    paging: {
      kind: "cursor",
      at: "after",
      size: "limit",
      defaultSize: 50,
      maxSize: 500,
      next: ({ meta }) => Object(Object(meta).cursors).after,
    },
    statuses: { created: 201, initiated: 201, deleted: 204, sent: 200 },
    reject: ({ cause, message, status, field, n }) => ({
      error: {
        message,
        errors: [
          cause === "invalidField"
            ? { message, field, request_pointer: `/invoices/${field}` }
            : { reason: GOCARDLESS_REASONS[cause] ?? "not_found", message },
        ],
        documentation_url: "https://developer.example/api-reference#errors",
        type: cause === "invalidField" ? "validation_failed" : "invalid_api_usage",
        request_id: `0AA4000DECCD_AC121CEB1F90_${token(`r${n}`, 8)}`,
        code: status,
      },
    }),
    ids: {
      reference: (n) => `PM${token(`p${n}`, 12)}`,
      invoice: (n) => `IV${token(`i${n}`, 12)}`,
      webhook: (n) => `WB${token(`w${n}`, 12)}`,
      account: (n) => `BA${token(`a${n}`, 12)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: "CR123", name: "Shop", verification_status: "successful" }),
      payment: withFields((one) => ({
        charge_date: zulu(one.createdAt).slice(0, 10),
        amount_refunded: 0,
        metadata: {},
        links: { mandate: "MD123", creditor: "CR123" },
      })),
      paymentItem: withFields((one) => ({
        charge_date: zulu(one.createdAt).slice(0, 10),
        links: { mandate: "MD123", creditor: "CR123" },
      })),
      webhook: (one, id) => ({ id, ...hook(one), is_test: true, created_at: zulu(one.createdAt) }),
      invoice: (one, id) => ({
        id,
        created_at: zulu(one.createdAt),
        charge_date: zulu(one.dueAt).slice(0, 10),
        amount: one.cents ?? 0,
        description: note(one),
        currency: "KES",
        status: statusIn({ draft: "pending_submission", sent: "submitted" }, one),
        metadata: {},
        links: { creditor: "CR123" },
      }),
    },
    headers: ({ n, left }) => ({
      "x-request-id": uuid(`r${n}`),
      "ratelimit-limit": "1000",
      "ratelimit-remaining": String(left),
    }),
    delivery: { prefix: "", retriesMs: [60_000, 600_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "wise",
    about: "Wise Platform",
    source: [
      "errors: https://docs.wise.com/guides/developer/errors",
      "headers of deliveries: https://docs.wise.com/api-reference/legacy/webhook-event/eventtransfersactivecases",
      `transfers (https://docs.wise.com/api-docs/api-reference/transfer): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => data),
    list: (items) => items,
    paging: { kind: "offset", at: "offset", size: "limit", defaultSize: 100, maxSize: 100 },
    statuses: { created: 200, initiated: 200, deleted: 204, sent: 200 },
    rejections: { ...BASE.rejections, wrongKind: 403, missingScope: 403 },
    reject: ({ cause, status, message, path, field }) =>
      cause === "noKey" || cause === "unknownKey"
        ? { error: "unauthorized", error_description: message }
        : cause === "unknownPath" || cause === "wrongMethod"
          ? {
              timestamp: "2026-03-02T08:00:00.000+00:00",
              status,
              error: "Not Found",
              message,
              path,
            }
          : { errors: [{ code: cause, message, path: field, arguments: [] }] },
    ids: {
      ...BASE.ids,
      reference: (n) => digits(`p${n}`, 8),
      invoice: (n) => 468_956 + n,
      webhook: (n) => uuid(`w${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: 101, type: "business", details: { name: "Shop", webpage: null } }),
      payment: withFields((one) => ({
        targetAccount: 8_692_237,
        rate: 1,
        created: local(one.createdAt, " "),
        hasActiveIssues: false,
        sourceValue: units(one.cents),
        customerTransactionId: uuid(`c${one.n}`),
      })),
      paymentItem: withFields((one) => ({ created: local(one.createdAt, " "), rate: 1 })),
      webhook: (one, id) => ({
        id,
        ...hook(one),
        scope: { domain: "profile", id: "101" },
        created_at: secondsZulu(one.createdAt),
      }),
      invoice: (one, id) => ({
        id,
        targetAccount: 8_692_237,
        status: one.state,
        reference: note(one),
        rate: 0.89,
        created: local(one.createdAt, " "),
        sourceCurrency: "KES",
        sourceValue: units(one.cents),
        details: { reference: note(one) },
      }),
    },
    delivery: {
      prefix: "",
      retriesMs: [120_000, 600_000],
      headers: ({ n }) => ({ "x-delivery-id": uuid(`d${n}`), "x-test-notification": "true" }),
    },
  },
];
