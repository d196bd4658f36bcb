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
import { compact, decimal, digits, local, token, uuid, zulu } from "../format.ts";
import type { Dialect, Fields, PageValues } from "../types.ts";

// Services whose conventions no rule was written for: they were put down, from the pages that `source` of
// each row names, before the rules that they measure.

const HTTP_OK = { created: 200, initiated: 200, deleted: 200, sent: 200 };
const ALL_OK = {
  ...{ noKey: 200, unknownKey: 200, wrongKind: 200, missingScope: 200, unknownId: 200 },
  ...{ invalidField: 200, invalidJson: 200, unknownPath: 404, wrongMethod: 405, rateLimit: 429 },
};

const chapa = (data: unknown, message = "Payment details fetched successfully") => ({
  message,
  status: "success",
  data,
});

const buni = (statusCode: string, statusDescription: string) => ({
  header: { statusCode, statusDescription },
});

const monnify = (responseBody: unknown) => ({
  requestSuccessful: true,
  responseMessage: "success",
  responseCode: "0",
  responseBody,
});

/** A page as Spring writes it. */
const springPage = (content: Fields[], { page, size, total, count }: PageValues) => ({
  content,
  pageable: {
    sort: { sorted: true, unsorted: false, empty: false },
    pageSize: size,
    pageNumber: page - 1,
    offset: (page - 1) * size,
    unpaged: false,
    paged: true,
  },
  last: page * size >= total,
  totalPages: pages(total, size),
  totalElements: total,
  first: page === 1,
  size,
  number: page - 1,
  numberOfElements: count,
  empty: count === 0,
});

const numero = (data: unknown, n = 0) => ({
  status: true,
  message: "Request completed successfully",
  code: "200",
  version: "1.0",
  data,
  error: null,
  reference: uuid(`request ${n}`),
});

const NUMERO_CODES: Readonly<Record<string, string>> = {
  noKey: "403",
  unknownKey: "403",
  wrongKind: "403",
  missingScope: "403",
};

export const UNTUNED: readonly Dialect[] = [
  {
    ...BASE,
    name: "chapa",
    about: "Chapa",
    source: [
      "payments: https://developer.chapa.co/docs/verify-payments",
      "responses: https://libraries.io/npm/chapa/1.0.2",
      `lists and errors (https://developer.chapa.co/docs/error-codes): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => chapa(data), { message: "Hosted Link", status: "success" }),
    list: (items, { page, size, total, path }, name) =>
      chapa({
        [name]: items,
        pagination: {
          per_page: size,
          current_page: page,
          first_page_url: `https://api.example/v1${path}?page=1`,
          next_page_url:
            page * size < total ? `https://api.example/v1${path}?page=${page + 1}` : null,
          prev_page_url: page > 1 ? `https://api.example/v1${path}?page=${page - 1}` : null,
        },
      }),
    paging: { kind: "page", at: "page", size: "per_page", defaultSize: 10, maxSize: 100 },
    clampsSize: true,
    statuses: HTTP_OK,
    rejections: { ...BASE.rejections, invalidField: 400, wrongKind: 401, missingScope: 401 },
    reject: ({ cause, message, field }) => ({
      message: cause === "invalidField" ? { [field]: ["validation.required"] } : message,
      status: "failed",
      data: null,
    }),
    ids: {
      ...BASE.ids,
      reference: (n) => `chewatatest-${6000 + n}`,
      invoice: (n) => uuid(`i${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({
        first_name: "Bilen",
        last_name: "Gizachew",
        business: "Shop",
        mode: "test",
      }),
      payment: withFields((one) => ({
        tx_ref: one.reference,
        method: "mpesa",
        charge: decimal(Math.round(one.cents * 0.035)),
        customization: { title: null, description: one.description, logo: null },
        created_at: local(one.createdAt, " "),
        updated_at: local(one.finalAt ?? one.createdAt, " "),
      })),
      paymentItem: withFields((one) => ({
        ref_id: token(`ref ${one.n}`, 9),
        type: "API",
        created_at: local(one.createdAt, " "),
      })),
      invoice: (one, id) => ({
        id,
        amount: units(one.cents),
        note: note(one),
        status: statusIn({ draft: "pending", sent: "active" }, one),
        expires_at: local(one.dueAt, " "),
      }),
      deleted: () => null,
    },
    hasScopes: false,
    delivery: {
      prefix: "",
      retriesMs: [600_000, 600_000],
      headers: () => ({ "x-chapa-event": "charge" }),
    },
  },
  {
    ...BASE,
    name: "azampay",
    about: "AzamPay",
    source: [
      "responses: https://www.github.com/alphaolomi/laravel-azampay",
      "responses with data: https://github.com/flexcodelabs/azampay",
      `errors and lists (https://developerdocs.azampay.co.tz): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => ({ data, message: "Success", success: true, statusCode: 200 }), {
      message: "Your request has been received and is being processed.",
    }),
    list: (data, { page, size, total }) => ({
      data,
      message: "Success",
      success: true,
      statusCode: 200,
      pageNumber: page,
      pageSize: size,
      totalRecords: total,
    }),
    paging: { kind: "page", at: "pageNumber", size: "pageSize", defaultSize: 10, maxSize: 50 },
    statuses: HTTP_OK,
    rejections: { ...BASE.rejections, invalidField: 400, unknownId: 400 },
    reject: ({ cause, status, message, field, n }) =>
      cause === "invalidField" || cause === "invalidJson"
        ? {
            type: "https://tools.ietf.org/html/rfc7231#section-6.5.1",
            title: "One or more validation errors occurred.",
            status,
            traceId: `00-${digits(`trace ${n}`, 20)}-00`,
            errors: { [field === "" ? "$" : field]: [message] },
          }
        : { data: null, message, success: false, statusCode: status },
    ids: {
      ...BASE.ids,
      reference: (n) => uuid(`p${n}`).replaceAll("-", ""),
      webhook: (n) => uuid(`w${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ vendorId: uuid("vendor"), vendorName: "Shop", currency: "TZS" }),
      payment: withFields((one) => ({
        utilityref: one.label,
        operator: "Mpesa",
        submerchantAcc: null,
      })),
      paymentItem: withFields((one) => ({ createdOn: local(one.createdAt) })),
      phone: (accountNumber, isValid) => ({
        accountNumber,
        isValid,
        bankName: isValid ? "Mpesa" : "",
      }),
      webhook: (one, callbackId) => ({ callbackId, ...hook(one), isActive: true }),
      invoice: (one, id) => ({
        billIdentifier: `BILL-${one.n}`,
        id,
        amount: units(one.cents),
        billDescription: note(one) ?? "",
        status: statusIn({ draft: "Created", sent: "Sent" }, one),
        expiresOn: local(one.dueAt),
      }),
      deleted: () => ({}),
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [60_000, 300_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "kcb-buni",
    about: "KCB Buni",
    source: [
      "prompts: https://dev.to/msnmongare/how-to-integrate-kcb-m-pesa-stk-push-api-n8j",
      "fields: https://www.scribd.com/document/672522909/KCB-MPESA-STK-PUSH-API-SPECIFICATION-DOCUMENT",
      `faults of the gateway and lists (https://buni.kcbgroup.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope(
      (response) => ({ ...buni("0", "Success. Request accepted for processing"), response }),
      buni("0", "Success. Request accepted for processing"),
    ),
    list: (records, { page, size, total }) => ({
      ...buni("0", "Success"),
      response: { records, page, size, totalRecords: total },
    }),
    paging: { kind: "page", at: "page", size: "size", defaultSize: 25, maxSize: 100 },
    clampsSize: true,
    statuses: HTTP_OK,
    rejections: { ...BASE.rejections, unknownId: 200, invalidField: 200, invalidJson: 400 },
    reject: ({ cause, status, message }) =>
      status === 200
        ? { ...buni(cause === "unknownId" ? "404" : "1", message), response: {} }
        : {
            fault: {
              code: cause === "noKey" ? 900902 : cause === "unknownKey" ? 900901 : 900000 + status,
              message,
              description: "Make sure you have provided the correct security credentials",
            },
          },
    ids: {
      ...BASE.ids,
      reference: (n) => digits(`p${n}`, 12),
      invoice: (n) => `KCBTILL-${1000 + n}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ organizationShortCode: "522522", organizationName: "Shop" }),
      payment: withFields((one) => ({
        MerchantRequestID: digits(`m${one.n}`, 10),
        ResultCode: one.state === "pending" ? null : one.why ? 1032 : 0,
      })),
      paymentItem: (one) => ({
        reference: one.reference,
        transactionAmount: decimal(one.cents),
        timestamp: compact(one.createdAt),
        status: one.state,
      }),
      phone: (phoneNumber, isRegistered) => ({ phoneNumber, isRegistered }),
      invoice: (one, invoiceNumber) => ({
        invoiceNumber,
        amount: String(units(one.cents)),
        transactionDescription: note(one),
        invoiceStatus: one.state.toUpperCase(),
        dueDate: compact(one.dueAt),
      }),
      deleted: () => ({ invoiceStatus: "DELETED" }),
    },
    chargesPublicKeys: true,
    delivery: { prefix: "", retriesMs: [300_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "monnify",
    about: "Monnify, of Moniepoint",
    source: [
      "responses: https://developers.monnify.com/api/",
      "states: https://teamapt.atlassian.net/wiki/pages/diffpages.action?originalId=674234374&pageId=699170829",
      `errors and lists (https://developers.monnify.com/docs): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => monnify(data), {
      requestSuccessful: true,
      responseMessage: "success",
      responseCode: "0",
    }),
    list: (items, page) => monnify(springPage(items, page)),
    paging: { kind: "zero", at: "page", size: "size", defaultSize: 10, maxSize: 100 },
    clampsSize: true,
    statuses: HTTP_OK,
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, message }) =>
      cause === "noKey" || cause === "unknownKey"
        ? { error: "invalid_token", error_description: message }
        : { requestSuccessful: false, responseMessage: message, responseCode: "99" },
    ids: {
      ...BASE.ids,
      reference: (n) => `MNFY|${digits(`p${n}`, 2)}|${digits(`q${n}`, 14)}`,
      invoice: (n) => `INV-${token(`i${n}`, 10)}`,
    },
    views: {
      ...BASE.views,
      merchant: () => ({
        contractCode: digits("contract", 10),
        businessName: "Shop",
        enabled: true,
      }),
      payment: withFields((one) => ({
        amountPaid: one.receipt ? decimal(one.cents) : "0.00",
        paidOn: one.receipt ? zulu(one.finalAt ?? one.createdAt) : null,
        paymentMethod: "PHONE_NUMBER",
        metaData: {},
        product: { type: "API", reference: one.reference },
      })),
      paymentItem: withFields((one) => ({ createdOn: zulu(one.createdAt), settled: false })),
      webhook: (one, id) => ({ id, ...hook(one), active: true }),
      invoice: (one, invoiceReference) => ({
        invoiceReference,
        amount: units(one.cents),
        description: note(one) ?? "",
        invoiceStatus: statusIn({ draft: "PENDING", sent: "SENT" }, one).toUpperCase(),
        contractCode: digits("contract", 10),
        expiryDate: local(one.dueAt, " "),
        createdBy: "MK_TEST",
        createdOn: zulu(one.createdAt),
      }),
      deleted: () => ({}),
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [60_000, 120_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "numero",
    about: "Numero: 200 for everything, with the result in the body",
    source: [
      "responses, errors and pages: https://docs.usenumero.com/04-errors-and-responses",
      `fields of resources (https://docs.usenumero.com): ${NOT_AT_HAND}`,
    ],
    wrap: (data, { n }) => numero(data, n),
    list: (items, { page, size, total }) => ({
      ...numero({ items, pageNumber: page, pageSize: size, totalCount: total }),
    }),
    paging: { kind: "page", at: "pageNumber", size: "pageSize", defaultSize: 50, maxSize: 100 },
    clampsSize: true,
    statuses: HTTP_OK,
    rejections: ALL_OK,
    reject: ({ cause, message, n }) => ({
      ...numero(null, n),
      status: false,
      message,
      code: NUMERO_CODES[cause] ?? "400",
      error: { message, details: [] },
    }),
    ids: { ...BASE.ids, reference: (n) => token(`p${n}`, 16), webhook: (n) => uuid(`w${n}`) },
    views: {
      ...BASE.views,
      merchant: () => ({ businessId: uuid("business"), businessName: "Shop", isLive: false }),
      payment: withFields((one) => ({ sessionId: digits(`s${one.n}`, 30), fee: decimal(2500) })),
      paymentItem: withFields((one) => ({ createdAt: zulu(one.createdAt) })),
      invoice: (one, id) => ({
        id,
        amount: units(one.cents),
        narration: note(one),
        status: one.state,
        dueAt: zulu(one.dueAt),
      }),
      deleted: () => null,
    },
    chargesPublicKeys: true,
    hasScopes: false,
    delivery: {
      prefix: "",
      retriesMs: [60_000],
      headers: () => ({ "x-numero-event": "transfer" }),
    },
  },
];
