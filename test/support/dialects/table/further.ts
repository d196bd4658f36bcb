import { BASE } from "../base.ts";
import { decimal, documentedPayment, uuid, zulu } from "../format.ts";
import type { Dialect, Fields } from "../types.ts";

const documentedOr =
  (other: (data: Fields, resource: string) => unknown): Dialect["wrap"] =>
  (data, { documented, resource }) =>
    documented ? { success: true, data } : other(data as Fields, resource);

/** `{ type, id, attributes }` of the fields of a resource. */
const jsonApi = (type: string, { id, ...attributes }: Fields) => ({
  type,
  ...(id !== undefined && { id: String(id) }),
  attributes,
});

const links = (path: string) => ({ self: { href: `https://api.example/v1${path}` } });

/** Dialects of well-known conventions. */
export const FURTHER: readonly Dialect[] = [
  {
    ...BASE,
    name: "json-api",
    about: "JSON:API: attributes below data, page[number] and page[size], a list of errors",
    wrap: documentedOr((data, resource) => ({ data: jsonApi(resource, data) })),
    list: (items, { page, size, total, path }, name) => ({
      data: items.map((item) => jsonApi(name, item)),
      links: { self: `https://api.example/v1${path}` },
      meta: { page: { number: page, size, total } },
    }),
    paging: {
      kind: "page",
      at: "page[number]",
      size: "page[size]",
      defaultSize: 10,
      maxSize: 50,
    },
    statuses: { ...BASE.statuses, deleted: 204 },
    reject: ({ status, cause, message, field }) => ({
      errors: [
        {
          status: String(status),
          code: cause,
          title: message,
          ...(field !== "" && { source: { pointer: `/data/attributes/${field}` } }),
        },
      ],
    }),
    ids: { ...BASE.ids, invoice: (n) => uuid(`i${n}`), webhook: (n) => String(4000 + n) },
    views: {
      ...BASE.views,
      payment: (payment) => ({
        ...documentedPayment(payment),
        created_at: zulu(payment.createdAt),
      }),
    },
  },
  {
    ...BASE,
    name: "hal",
    about: "HAL: _embedded lists, links in every resource, pages from 0, camel case, oldest first",
    wrap: documentedOr((data, resource) => ({ ...data, _links: links(`/${resource}`) })),
    list: (items, { page, size, total, path }, name) => ({
      _embedded: { [name]: items.map((item) => ({ ...item, _links: links(path) })) },
      _links: links(path),
      page: { size, totalElements: total, totalPages: Math.ceil(total / size), number: page - 1 },
    }),
    paging: { kind: "zero", at: "page", size: "size", defaultSize: 20, maxSize: 40 },
    clampsSize: true,
    oldestFirst: true,
    statuses: { created: 201, initiated: 200, deleted: 204, sent: 200 },
    reject: ({ message, path, n }) => ({ message, path, logref: uuid(`l${n}`) }),
    views: {
      ...BASE.views,
      invoice: ({ n, cents, state, createdAt, fields }, id) => ({
        invoiceId: id,
        invoiceNumber: `A${n}`,
        totalAmount: (cents ?? 0) / 100,
        narration: fields.description ?? "",
        invoiceStatus: state,
        createdAt: zulu(createdAt),
        lineItems: [{ sku: "X", unitPrice: decimal(100) }],
      }),
      webhook: ({ name, url, events }, id) => ({
        webhookId: id,
        name,
        url,
        events,
        signingSecret: "a".repeat(40),
      }),
    },
  },
  {
    ...BASE,
    name: "always-200",
    about: "rejects with 200 and success: false; a message, a code and a result beside each other",
    wrap: (data, { documented }) =>
      documented
        ? { success: true, data }
        : { success: true, code: "00", message: "Request accepted", response: data },
    list: (records, { total, page, size }) => ({
      success: true,
      code: "00",
      message: "Request accepted",
      response: { records, totalRecords: total, currentPage: page, pageSize: size },
    }),
    paging: { kind: "page", at: "currentPage", size: "pageSize", defaultSize: 25, maxSize: 100 },
    statuses: { created: 200, initiated: 200, deleted: 200, sent: 200 },
    rejections: {
      noKey: 200,
      unknownKey: 200,
      wrongKind: 200,
      missingScope: 200,
      unknownId: 200,
      invalidField: 200,
      invalidJson: 200,
      unknownPath: 404,
      wrongMethod: 405,
      rateLimit: 429,
    },
    chargesPublicKeys: true,
    reject: ({ message, cause }) => ({ success: false, code: cause, message, response: null }),
    views: { ...BASE.views, deleted: () => null },
  },
];
