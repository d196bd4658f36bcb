import { BASE } from "../base.ts";
import {
  envelope,
  hook,
  NOT_AT_HAND,
  note,
  pages,
  statusIn,
  units,
  withFields,
} from "../conventions.ts";
import { decimal, digits, local, nairobi, token, uuid, zulu } from "../format.ts";
import type { Dialect, Fields } from "../types.ts";

// Services that were put down, from the pages that `source` of each row names, when every rule stood. Their
// first figures stand in docs/contributing/benchmarks.md.

const OK_200 = { created: 200, initiated: 200, deleted: 200, sent: 200 };

const NOTCHPAY_STATUS: Readonly<Record<number, string>> = {
  ...{ 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" },
  ...{ 405: "Method Not Allowed", 422: "Unprocessable Entity", 429: "Too Many Requests" },
};

const PAWAPAY_CODES: Readonly<Record<string, string>> = {
  noKey: "NO_AUTHENTICATION",
  unknownKey: "AUTHENTICATION_ERROR",
  wrongKind: "AUTHORISATION_ERROR",
  missingScope: "AUTHORISATION_ERROR",
  invalidJson: "INVALID_INPUT",
  invalidField: "INVALID_PARAMETER",
  unknownId: "NOT_FOUND",
};

const FEDAPAY: Readonly<Record<string, string>> = {
  payment: "transaction",
  payments: "transactions",
  accounts: "accounts",
  merchant: "account",
};

const fedapayName = (name: string) => `v1/${FEDAPAY[name] ?? name}`;

const SELCOM_CODES: Readonly<Record<string, string>> = {
  noKey: "401",
  unknownKey: "403",
  wrongKind: "403",
  missingScope: "403",
  unknownId: "404",
};

/** The result stands beside the data, which is a list even for one resource. */
const selcom = (data: unknown[], n = 0) => ({
  reference: digits(`selcom ${n}`, 10),
  resultcode: "000",
  result: "SUCCESS",
  message: "Request processed successfully",
  data,
});

const LENCO_CODES: Readonly<Record<string, string>> = {
  noKey: "10",
  unknownKey: "10",
  wrongKind: "11",
  missingScope: "11",
  invalidField: "01",
  invalidJson: "01",
  unknownId: "04",
};

export const UNSEEN: readonly Dialect[] = [
  {
    ...BASE,
    name: "notchpay",
    about: "Notch Pay",
    source: [
      "responses and lists: https://developer.notchpay.co/get-started/responses",
      "errors: https://developer.notchpay.co/api-reference/errors",
      `webhooks (https://developer.notchpay.co): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => ({ code: 200, status: "OK", message: "Retrieved", data }), {
      code: 201,
      status: "Created",
      message: "Payment initialized",
    }),
    list: (items, { page, size, total }, name) => ({
      code: 200,
      status: "OK",
      message: `${name} retrieved`,
      totals: total,
      last_page: pages(total, size),
      current_page: page,
      selected: items.length,
      items,
    }),
    paging: { kind: "page", at: "page", size: "limit", defaultSize: 30, maxSize: 100 },
    clampsSize: true,
    statuses: { ...BASE.statuses, initiated: 201 },
    reject: ({ cause, status, message, field }) => ({
      code: status,
      status: NOTCHPAY_STATUS[status] ?? "Error",
      message: cause === "invalidField" ? "Validation failed" : message,
      ...(cause === "invalidField" && { errors: { [field]: [message] } }),
    }),
    ids: {
      ...BASE.ids,
      reference: (n) => `trx.${token(`p${n}`, 22)}`,
      webhook: (n) => uuid(`${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: "acc_1", name: "Shop", country: "KE", sandbox: true }),
      payment: withFields((one) => ({
        customer: `cus.${token(`c${one.n}`, 12)}`,
        payment_method: "pm.mpesa",
        description: one.description,
        metadata: {},
        created_at: zulu(one.createdAt),
        completed_at: one.receipt ? zulu(one.finalAt ?? one.createdAt) : null,
      })),
      paymentItem: withFields((one) => ({ created_at: zulu(one.createdAt), sandbox: true })),
      webhook: (one, id) => ({ id, ...hook(one), active: true, created_at: zulu(one.createdAt) }),
      invoice: (one, id) => ({
        id,
        amount: units(one.cents),
        description: note(one),
        status: one.state,
        due_date: zulu(one.dueAt),
      }),
      deleted: () => ({}),
    },
    delivery: { prefix: "", retriesMs: [300_000, 900_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "pawapay",
    about: "pawaPay v2",
    source: [
      "errors: https://docs.pawapay.io/v2/docs/failure_codes",
      "reads: https://docs.pawapay.io/v2/api-reference/deposits/check-deposit-status",
      `bodies of errors, and lists (https://docs.pawapay.io): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data, resource) => (resource === "payment" ? { data, status: "FOUND" } : data)),
    list: (items, { page, size, total }) => ({ page, size, totalCount: total, content: items }),
    paging: { kind: "page", at: "page", size: "size", defaultSize: 10, maxSize: 100 },
    statuses: OK_200,
    rejections: { ...BASE.rejections, unknownKey: 403, invalidField: 400, unknownId: 200 },
    reject: ({ cause, message }) =>
      cause === "unknownId"
        ? { status: "NOT_FOUND" }
        : {
            failureReason: {
              failureCode: PAWAPAY_CODES[cause] ?? "UNKNOWN_ERROR",
              failureMessage: message,
            },
          },
    ids: {
      reference: (n) => uuid(`p${n}`),
      invoice: (n) => uuid(`i${n}`),
      webhook: (n) => uuid(`w${n}`),
      account: (n) => n,
    },
    views: {
      ...BASE.views,
      merchant: () => ({
        companyName: "Shop",
        signatureConfiguration: { signedRequestsOnly: false },
      }),
      payment: withFields((one) => ({
        depositId: one.reference,
        country: "KEN",
        payer: {
          type: "MMO",
          accountDetails: { phoneNumber: one.phone, provider: "MPESA_KEN" },
        },
        customerMessage: one.description,
        created: zulu(one.createdAt),
        ...(one.receipt && { providerTransactionId: one.receipt }),
      })),
      paymentItem: withFields((one) => ({
        depositId: one.reference,
        created: zulu(one.createdAt),
      })),
      phone: (phoneNumber, isValid) => ({
        country: "KEN",
        provider: isValid ? "MPESA_KEN" : null,
        phoneNumber,
      }),
      webhook: (one, callbackId) => ({ callbackId, ...hook(one) }),
      invoice: (one, paymentPageId) => ({
        paymentPageId,
        amountDetails: { amount: decimal(one.cents ?? 0), currency: "KES" },
        reason: note(one),
        status: one.state.toUpperCase(),
        created: zulu(one.createdAt),
      }),
      deleted: () => ({ status: "ACCEPTED" }),
    },
    chargesPublicKeys: true,
    hasScopes: false,
    isStrict: true,
    delivery: { prefix: "", retriesMs: [900_000, 900_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "fedapay",
    about: "FedaPay",
    source: [
      "lists: https://app.unpkg.com/fedapay@1.2.5/files/test/TransactionTest.ts",
      "one resource: https://app.unpkg.com/fedapay@1.2.5/files/test/EventTest.ts",
      "errors: https://app.unpkg.com/fedapay@1.2.5/files/src/Error.ts",
      `numbers of pages (https://docs.fedapay.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data: Fields, resource) =>
      resource === "result" ? data : { [fedapayName(resource)]: data },
    ),
    list: (items, { page, size, total }, name) => ({
      [fedapayName(name)]: items,
      meta: {
        current_page: page,
        next_page: page * size < total ? page + 1 : null,
        prev_page: page > 1 ? page - 1 : null,
        per_page: size,
        total_pages: pages(total, size),
        total_count: total,
      },
    }),
    paging: { kind: "page", at: "page", size: "per_page", defaultSize: 25, maxSize: 100 },
    clampsSize: true,
    rejections: { ...BASE.rejections, invalidField: 400, wrongKind: 401, missingScope: 401 },
    reject: ({ cause, message, field }) => ({
      message,
      ...(cause === "invalidField" && { errors: { [field]: [message] } }),
    }),
    ids: { ...BASE.ids, reference: (n) => `trx_${token(`p${n}`, 3)}_${digits(`q${n}`, 13)}` },
    views: {
      ...BASE.views,
      merchant: () => ({ klass: "v1/account", id: 77, name: "Shop", country: "KE" }),
      account: (payment_account_id) => ({ klass: "v1/balance", payment_account_id, mode: "mtn" }),
      payment: withFields((one) => ({
        klass: "v1/transaction",
        transaction_key: token(`k${one.n}`, 8),
        description: one.description,
        callback_url: null,
        customer_id: one.n,
        currency_id: 1,
        mode: "mtn",
        created_at: zulu(one.createdAt),
        updated_at: zulu(one.finalAt ?? one.createdAt),
        paid_at: one.receipt ? zulu(one.finalAt ?? one.createdAt) : null,
      })),
      paymentItem: withFields((one) => ({
        klass: "v1/transaction",
        mode: "mtn",
        created_at: zulu(one.createdAt),
      })),
      phone: (number, valid) => ({ klass: "v1/phone_number", number, country: "ke", valid }),
      webhook: (one, id) => ({ klass: "v1/webhook", id, ...hook(one), enabled: true }),
      invoice: (one, id) => ({
        klass: "v1/invoice",
        id,
        reference: `INV${digits(`i${one.n}`, 6)}`,
        amount: units(one.cents),
        notes: note(one),
        status: one.state,
        due_at: zulu(one.dueAt),
      }),
      deleted: () => ({}),
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [60_000, 600_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "selcom",
    about: "Selcom",
    source: [
      "errors: https://selcom-developers.github.io/node-selcom/Authentication",
      "orders: https://selcom-developers.github.io/node-selcom/create-order-doc.html",
      `lists (https://developers.selcommobile.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => selcom([data]), {
      reference: "0289999288",
      resultcode: "111",
      result: "INPROGRESS",
      message: "Request in progress",
    }),
    list: (items) => selcom(items),
    paging: { kind: "none" },
    statuses: OK_200,
    rejections: { ...BASE.rejections, unknownKey: 403, unknownId: 200, invalidField: 200 },
    reject: ({ cause, status, message, n }) => ({
      reference: digits(`selcom ${n}`, 10),
      resultcode: SELCOM_CODES[cause] ?? (status === 200 ? "400" : String(status)),
      result: "FAIL",
      message,
      data: [],
    }),
    ids: {
      ...BASE.ids,
      reference: (n) => digits(`p${n}`, 10),
      invoice: (n) => `SEL-${2000 + n}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ vendor: "SHOP203", name: "Shop" }),
      payment: withFields((one) => ({
        transid: token(`t${one.n}`, 10),
        channel: "MPESA-KE",
        creation_date: local(one.createdAt, " "),
      })),
      paymentItem: withFields((one) => ({ creation_date: local(one.createdAt, " ") })),
      phone: (msisdn, active) => ({ msisdn, active, name: active ? "J. DOE" : "" }),
      invoice: (one, order_id) => ({
        order_id,
        creation_date: local(one.createdAt, " "),
        amount: String(units(one.cents)),
        payment_status: one.state.toUpperCase(),
        remarks: note(one),
      }),
      deleted: () => ({}),
    },
    hasScopes: false,
    chargesPublicKeys: true,
    delivery: { prefix: "", retriesMs: [120_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "lenco",
    about: "Lenco",
    source: [
      "responses: https://lenco-api.readme.io/reference/get-started",
      `codes of errors, lists and fields (https://lenco-api.readme.io/v2.0): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => ({ status: true, message: "", data }), { status: true, message: "" }),
    list: (data, { page, size, total }) => ({
      status: true,
      message: "",
      data,
      meta: { total, pageCount: pages(total, size), perPage: size, currentPage: page },
    }),
    paging: { kind: "page", at: "page", size: "perPage", defaultSize: 50, maxSize: 100 },
    clampsSize: true,
    statuses: OK_200,
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, message }) => ({
      status: false,
      message,
      data: null,
      errorCode: LENCO_CODES[cause] ?? "99",
    }),
    ids: {
      reference: (n) => `ref-${1000 + n}`,
      invoice: (n) => uuid(`i${n}`),
      webhook: (n) => uuid(`w${n}`),
      account: (n) => uuid(`a${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ id: uuid("business"), name: "Shop", website: null }),
      payment: withFields((one) => ({
        id: uuid(`c${one.n}`),
        initiatedAt: zulu(one.createdAt),
        completedAt: one.receipt ? zulu(one.finalAt ?? one.createdAt) : null,
        fee: null,
        bearer: "merchant",
        lencoReference: digits(`l${one.n}`, 10),
        type: "mobile-money",
        source: "api",
        reasonForFailure: one.why ? "Customer did not pay" : null,
        settlementStatus: one.receipt ? "pending" : null,
        mobileMoneyDetails: { country: "ke", phone: one.phone, operator: "mpesa" },
        bankAccountDetails: null,
      })),
      paymentItem: withFields((one) => ({
        id: uuid(`c${one.n}`),
        initiatedAt: zulu(one.createdAt),
        mobileMoneyDetails: { country: "ke", phone: one.phone, operator: "mpesa" },
      })),
      phone: (phone, valid) => ({
        type: "mobile-money",
        accountName: valid ? "J. DOE" : null,
        phone,
        operator: valid ? "mpesa" : null,
        country: "ke",
      }),
      webhook: (one, id) => ({ id, ...hook(one) }),
      invoice: (one, id) => ({
        id,
        title: note(one),
        amount: decimal(one.cents ?? 0),
        currency: "KES",
        status: statusIn({ draft: "inactive", sent: "active" }, one),
        createdAt: nairobi(one.createdAt),
      }),
      deleted: () => ({ deleted: true }),
    },
    hasScopes: false,
    delivery: {
      prefix: "",
      retriesMs: [1_800_000, 1_800_000],
      headers: () => ({ "x-lenco-signature": "0".repeat(64) }),
    },
  },
];
