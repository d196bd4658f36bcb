import type { Dialect, Fields } from "../../support/dialects/types.ts";

type Change = (service: Dialect) => Dialect;

const inInvoice =
  (change: (fields: Fields) => Fields): Change =>
  (service) => ({
    ...service,
    views: { ...service.views, invoice: (one, id) => change(service.views.invoice(one, id)) },
  });

const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Fields): Fields =>
    rest;

/** What a service may change from one day to the next: `learn check` sees each. */
export const SERVICE_CHANGES: Readonly<Record<string, Change>> = {
  "a field vanishes": inInvoice(without("number")),
  "a field is new": inInvoice((fields) => ({ ...fields, balance: "0.00" })),
  "a text becomes a number": inInvoice((fields) => ({ ...fields, amount: Number(fields.amount) })),
  "a number becomes a text": inInvoice((fields) => ({ ...fields, id: `inv_${fields.id}` })),
  "a value becomes null": inInvoice((fields) => ({ ...fields, due_at: null })),
  "a time has another form": inInvoice((fields) => ({ ...fields, created_at: 1_700_000_000 })),
  "a status has a new name": inInvoice((fields) => ({ ...fields, status: "open" })),
  "a field becomes an object": inInvoice((fields) => ({
    ...fields,
    amount: { value: fields.amount, currency: "KES" },
  })),
  "a creation returns another status": (service) => ({
    ...service,
    statuses: { ...service.statuses, created: 200 },
  }),
  "an unknown id returns another status": (service) => ({
    ...service,
    rejections: { ...service.rejections, unknownId: 410 },
  }),
  "an invalid field returns another status": (service) => ({
    ...service,
    rejections: { ...service.rejections, invalidField: 422 },
  }),
  "errors have another body": (service) => ({
    ...service,
    reject: ({ message, cause }) => ({ success: false, error: { code: cause, message } }),
  }),
  "a list stands at another place": (service) => ({
    ...service,
    list: (items, { page, size, total }) => ({
      success: true,
      data: { items, page, per_page: size, total },
    }),
  }),
  "the default page is shorter": (service) => ({
    ...service,
    paging: { kind: "page", at: "page", size: "per_page", defaultSize: 10, maxSize: 100 },
  }),
  "the parameter of the page length has another name": (service) => ({
    ...service,
    paging: { kind: "page", at: "page", size: "limit", defaultSize: 20, maxSize: 100 },
  }),
  "a header vanishes": (service) => ({ ...service, headers: () => ({}) }),
};
