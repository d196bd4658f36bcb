import { BASE } from "../base.ts";
import {
  envelope,
  hook,
  isLater,
  NOT_AT_HAND,
  note,
  pages,
  secondsZulu,
  statusIn,
  units,
  withFields,
} from "../conventions.ts";
import { decimal, digits, local, token, uuid, zulu } from "../format.ts";
import type { Dialect } from "../types.ts";

// Services that were put down after the rules that UNSEEN showed, and before any of them was measured.
// Their first figures stand in docs/contributing/benchmark-notes.md.

const OK_200 = { created: 200, initiated: 200, deleted: 200, sent: 200 };

const HUBTEL_CODES: Readonly<Record<string, string>> = {
  noKey: "4101",
  unknownKey: "4101",
  wrongKind: "4103",
  missingScope: "4103",
  invalidField: "4000",
  invalidJson: "4000",
};

const LIPILA_TITLES: Readonly<Record<number, string>> = {
  ...{ 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" },
  ...{ 405: "Method Not Allowed", 429: "Too Many Requests" },
};

const TINGG_CODES: Readonly<Record<string, number>> = {
  noKey: 401,
  unknownKey: 401,
  wrongKind: 403,
  invalidField: 1006,
  invalidJson: 1006,
  unknownId: 404,
};

const tingg = (code: number, description: string, results: unknown) => ({
  status: { status_code: code, status_description: description },
  results,
});

const NOMBA_CODES: Readonly<Record<string, string>> = {
  noKey: "401",
  unknownKey: "401",
  wrongKind: "403",
  invalidField: "400",
  invalidJson: "400",
  unknownId: "404",
};

export const NEWEST: readonly Dialect[] = [
  {
    ...BASE,
    name: "paychangu",
    about: "PayChangu: messages of an error by field, in the place of its text",
    source: [
      "errors: https://developer.paychangu.com/docs/paychangu-errors",
      "payments: https://developer.paychangu.com/docs/mobile-money",
      `lists and webhooks (https://developer.paychangu.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => ({ status: "success", message: "Hosted Session generated", data }), {
      status: "success",
      message: "Payment initiated successfully.",
    }),
    list: (data, { page, size, total }) => ({
      status: "success",
      message: "Retrieved successfully.",
      data: {
        current_page: page,
        total_pages: pages(total, size),
        per_page: size,
        next_page_url: isLater(page, size, total)
          ? `https://api.paychangu.example/?page=${page + 1}`
          : null,
        data,
      },
    }),
    paging: { kind: "page", at: "page", size: "per_page", defaultSize: 10, maxSize: 100 },
    clampsSize: true,
    statuses: OK_200,
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, message, field }) => ({
      message: cause === "invalidField" ? { [field]: [message] } : message,
      status: "failed",
      data: null,
    }),
    ids: {
      ...BASE.ids,
      reference: (n) => `PC-${token(`p${n}`, 10)}`,
      webhook: (n) => uuid(`w${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ business: "Shop", environment: "test", main_balance: "0.00" }),
      payment: withFields((one) => ({
        charge_id: one.reference,
        ref_id: digits(`r${one.n}`, 11),
        trans_id: null,
        first_name: null,
        last_name: null,
        email: null,
        type: "mobile money",
        mode: "test",
        mobile: one.phone,
        attempts: 1,
        completed_at: one.receipt ? zulu(one.finalAt ?? one.createdAt) : null,
        event_type: "api.charge.payment",
        created_at: zulu(one.createdAt),
      })),
      paymentItem: withFields((one) => ({ mode: "test", created_at: zulu(one.createdAt) })),
      phone: (mobile, isValid) => ({
        mobile,
        is_valid: isValid,
        operator: isValid ? { name: "M-Pesa", short_code: "mpesa" } : null,
      }),
      webhook: (one, id) => ({ id, ...hook(one) }),
      invoice: (one, id) => ({
        id,
        title: note(one),
        amount: units(one.cents),
        currency: "KES",
        status: one.state,
        created_at: zulu(one.createdAt),
      }),
      deleted: () => [],
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [60_000, 300_000], headers: () => ({ signature: "0" }) },
  },
  {
    ...BASE,
    name: "hubtel",
    about: "Hubtel: capitals at the beginning of names, and a code of its own beside the status",
    source: [
      "payments, codes: https://github.com/scynett/Scynett.Hubtel.Payments (docs/HUBTEL_DIRECT_RECEIVE_MONEY.md)",
      `lists, errors and webhooks (https://developers.hubtel.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((Data) => ({ Message: "Successful", ResponseCode: "0000", Data }), {
      Message: "Transaction pending. Expect callback request for final state",
      ResponseCode: "0001",
    }),
    list: (Results, { page, size, total }) => ({
      Message: "Successful",
      ResponseCode: "0000",
      Data: {
        PageIndex: page,
        PageSize: size,
        TotalCount: total,
        TotalPages: pages(total, size),
        Results,
      },
    }),
    paging: { kind: "page", at: "page", size: "pageSize", defaultSize: 20, maxSize: 100 },
    clampsSize: true,
    statuses: { ...OK_200, created: 201 },
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, message, field }) => ({
      Message: message,
      ResponseCode: HUBTEL_CODES[cause] ?? "4040",
      Data: null,
      ...(cause === "invalidField" && { Errors: [{ Field: field, ErrorMessage: message }] }),
    }),
    ids: {
      reference: (n) => uuid(`p${n}`).replaceAll("-", ""),
      invoice: (n) => uuid(`i${n}`).replaceAll("-", ""),
      webhook: (n) => uuid(`w${n}`).replaceAll("-", ""),
      account: (n) => 11_684 + n,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ BusinessId: 11_684, BusinessName: "Shop", IsActive: true }),
      payment: withFields((one) => ({
        Description: one.description,
        ClientReference: one.label,
        TransactionId: one.reference,
        Charges: 0.05,
        AmountAfterCharges: one.cents / 100,
        AmountCharged: one.cents / 100 + 0.05,
        DeliveryFee: 0,
        ExternalTransactionId: one.receipt ?? null,
        PaymentMethod: "mobilemoney",
        IsFulfilled: null,
        Date: zulu(one.createdAt),
      })),
      paymentItem: withFields((one) => ({
        TransactionId: one.reference,
        Date: zulu(one.createdAt),
      })),
      phone: (Msisdn, IsRegistered) => ({
        Msisdn,
        IsRegistered,
        Name: IsRegistered ? "J. DOE" : null,
        Status: IsRegistered ? "active" : "inactive",
      }),
      webhook: (one, CallbackId) => ({ CallbackId, ...hook(one) }),
      invoice: (one, InvoiceId) => ({
        InvoiceId,
        TotalAmount: units(one.cents),
        Description: note(one),
        Status: statusIn({ draft: "Unpaid", sent: "Sent" }, one),
        CreatedAt: zulu(one.createdAt),
      }),
      deleted: () => null,
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [300_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "lipila",
    about: "Lipila, on .NET: no envelope, problem details with errors by field",
    source: [`all of it (https://docs.lipila.dev): ${NOT_AT_HAND}`],
    wrap: envelope((data) => data),
    list: (items, { page, size, total }) => ({
      items,
      pageNumber: page,
      pageSize: size,
      totalCount: total,
      totalPages: pages(total, size),
      hasPreviousPage: page > 1,
      hasNextPage: isLater(page, size, total),
    }),
    paging: { kind: "page", at: "pageNumber", size: "pageSize", defaultSize: 10, maxSize: 100 },
    clampsSize: true,
    statuses: { ...OK_200, created: 201 },
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, status, message, field, n }) => ({
      type: `https://tools.ietf.org/html/rfc9110#section-15.5.${status - 399}`,
      title:
        cause === "invalidField"
          ? "One or more validation errors occurred."
          : (LIPILA_TITLES[status] ?? "Error"),
      status,
      ...(cause === "invalidField" ? { errors: { [field]: [message] } } : { detail: message }),
      traceId: `00-${uuid(`t${n}`).replaceAll("-", "")}-${digits(`s${n}`, 16)}-00`,
    }),
    ids: {
      reference: (n) => uuid(`p${n}`),
      invoice: (n) => uuid(`i${n}`),
      webhook: (n) => uuid(`w${n}`),
      account: (n) => n,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ merchantId: 77, businessName: "Shop", isActive: true, balance: 0 }),
      payment: withFields((one) => ({
        referenceId: one.label,
        identifier: `LPLC-${digits(`l${one.n}`, 12)}`,
        accountNumber: one.phone,
        narration: one.description,
        paymentType: "Mpesa",
        ipAddress: "127.0.0.1",
        createdAt: zulu(one.createdAt),
        externalId: one.receipt ?? null,
        message: one.why ? "The customer did not pay" : null,
      })),
      paymentItem: withFields((one) => ({
        referenceId: one.label,
        createdAt: zulu(one.createdAt),
      })),
      phone: (accountNumber, isValid) => ({
        accountNumber,
        isValid,
        paymentType: isValid ? "Mpesa" : "Unknown",
      }),
      webhook: (one, id) => ({ id, ...hook(one), isEnabled: true }),
      invoice: (one, invoiceId) => ({
        invoiceId,
        invoiceNumber: `LIP-${1000 + one.n}`,
        narration: note(one),
        amount: units(one.cents),
        currency: "KES",
        status: statusIn({ draft: "Draft", sent: "Sent", paid: "Paid" }, one),
        dueDate: zulu(one.dueAt),
      }),
      deleted: (id) => ({ id, isDeleted: true }),
    },
    hasScopes: false,
    delivery: { prefix: "", retriesMs: [60_000, 120_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "tingg",
    about: "Cellulant Tingg: the result in an object status, with codes of its own",
    source: [
      "fields of requests: https://raw.githubusercontent.com/api-evangelist/cellulant/main/json-schema/cellulant-checkout-request-schema.json",
      `responses, lists and codes (https://docs.tingg.africa): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => tingg(200, "Request processed successfully", data), {
      status: { status_code: 200, status_description: "Request received" },
    }),
    list: (items) => tingg(200, "Request processed successfully", items),
    paging: { kind: "none" },
    statuses: OK_200,
    rejections: { ...BASE.rejections, wrongKind: 403, unknownId: 200, invalidField: 200 },
    reject: ({ cause, status, message }) =>
      tingg(TINGG_CODES[cause] ?? status, message, cause === "invalidField" ? [] : null),
    ids: {
      ...BASE.ids,
      reference: (n) => digits(`p${n}`, 9),
      webhook: (n) => 300 + n,
    },
    views: {
      ...BASE.views,
      merchant: () => ({ client_code: "SHOP", client_name: "Shop", country_code: "KEN" }),
      payment: withFields((one) => ({
        merchant_transaction_id: one.label,
        service_code: "SHOPSERVICE",
        request_amount: one.cents / 100,
        amount_paid: one.receipt ? one.cents / 100 : 0,
        request_status_code: one.receipt ? 178 : one.why ? 99 : 176,
        request_description: one.description,
        request_date: local(one.createdAt, " "),
        payments: [],
      })),
      paymentItem: withFields((one) => ({ request_date: local(one.createdAt, " ") })),
      phone: (msisdn, valid) => ({ msisdn, valid, network: valid ? "SAFKE" : "" }),
      webhook: (one, id) => ({ id, ...hook(one), active: 1 }),
      invoice: (one, invoice_id) => ({
        invoice_id,
        request_amount: decimal(one.cents ?? 0),
        request_description: note(one),
        invoice_status: one.state.toUpperCase(),
        due_date: local(one.dueAt, " "),
      }),
      deleted: () => null,
    },
    hasScopes: false,
    chargesPublicKeys: true,
    delivery: { prefix: "", retriesMs: [180_000], headers: () => ({}) },
  },
  {
    ...BASE,
    name: "nomba",
    about: "Nomba: code 00, and a cursor that is empty on the last page",
    source: [
      "one resource: https://raw.githubusercontent.com/api-evangelist/nomba/refs/heads/main/json-schema/nomba-chargeresponse-schema.json",
      `errors, lists and webhooks (https://developer.nomba.com): ${NOT_AT_HAND}`,
    ],
    wrap: envelope((data) => ({ code: "00", description: "Success", data }), {
      code: "00",
      description: "Success",
    }),
    list: (results, { offset, count, total }) => ({
      code: "00",
      description: "Success",
      data: {
        results,
        cursor: offset + count < total ? Buffer.from(`${offset + count}`).toString("base64") : "",
      },
    }),
    paging: {
      ...{ kind: "offset", at: "offset", size: "limit" },
      ...{ defaultSize: 20, maxSize: 50 },
    },
    clampsSize: true,
    statuses: OK_200,
    rejections: { ...BASE.rejections, invalidField: 400 },
    reject: ({ cause, status, message }) => ({
      code: NOMBA_CODES[cause] ?? String(status),
      description: message,
    }),
    ids: {
      reference: (n) => uuid(`p${n}`),
      invoice: (n) => uuid(`i${n}`),
      webhook: (n) => uuid(`w${n}`),
      account: (n) => uuid(`a${n}`),
    },
    views: {
      ...BASE.views,
      merchant: () => ({ accountId: uuid("m"), accountName: "Shop", status: "ACTIVE" }),
      payment: withFields((one) => ({
        orderReference: one.label,
        transactionId: `API-${token(`t${one.n}`, 12)}`,
        type: "online_checkout",
        fee: 0.5,
        narration: one.description,
        timeCreated: secondsZulu(one.createdAt),
        ...(one.receipt && { timeUpdated: secondsZulu(one.finalAt ?? one.createdAt) }),
      })),
      paymentItem: withFields((one) => ({ timeCreated: secondsZulu(one.createdAt) })),
      phone: (phoneNumber, valid) => ({
        phoneNumber,
        ...(valid && { accountName: "J. DOE", network: "MPESA" }),
      }),
      webhook: (one, webhookId) => ({ webhookId, ...hook(one) }),
      invoice: (one, orderId) => ({
        orderId,
        orderReference: `ORD-${7000 + one.n}`,
        amount: decimal(one.cents ?? 0),
        currency: "KES",
        narration: note(one),
        orderStatus: one.state.toUpperCase(),
        timeCreated: secondsZulu(one.createdAt),
      }),
      deleted: () => ({ result: true }),
    },
    hasScopes: false,
    delivery: {
      prefix: "",
      retriesMs: [120_000, 600_000],
      headers: () => ({ "nomba-signature-algorithm": "HmacSHA256" }),
    },
  },
];
