/** Any JSON object. */
export type Fields = Record<string, unknown>;

/** Why a service rejects a request. */
export type Cause =
  | "noKey"
  | "unknownKey"
  | "wrongKind"
  | "missingScope"
  | "unknownId"
  | "invalidField"
  | "invalidJson"
  | "unknownPath"
  | "wrongMethod"
  | "rateLimit";

/** What a service keeps of a payment. */
export interface Payment {
  readonly n: number;
  readonly reference: string;
  readonly cents: number;
  readonly phone: string;
  readonly label: string;
  readonly description: string;
  readonly checkout: string | undefined;
  readonly createdAt: Date;
  state: "pending" | "completed" | "failed";
  /** Why it failed: further statuses stand for some of them. */
  why?: "cancelled" | "expired" | "busy" | "wrongPin";
  receipt?: string;
  finalAt?: Date;
}

export interface Invoice {
  readonly n: number;
  readonly fields: Fields;
  cents: number | undefined;
  state: "draft" | "sent" | "paid" | "overdue";
  readonly createdAt: Date;
  readonly dueAt: Date;
}

export interface Webhook {
  readonly n: number;
  name: string;
  url: string;
  events: string[];
  readonly createdAt: Date;
}

/** What is said of a rejected request. */
export interface Rejection {
  readonly cause: Cause;
  readonly status: number;
  readonly message: string;
  readonly field: string;
  readonly path: string;
  /** The number of the request. */
  readonly n: number;
}

/** One page of a list: what a service may say about it. */
export interface PageValues {
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  readonly total: number;
  /** How many items the page has. */
  readonly count: number;
  readonly path: string;
}

export type ListName = "accounts" | "payments" | "webhooks" | "invoices";

/** How lists are paged: the names of the two parameters. `none`: the query has no effect. */
type Paging =
  | { readonly kind: "none" }
  | {
      /** `zero`: pages that count from 0. */
      readonly kind: "page" | "zero" | "offset" | "cursor";
      readonly at: string;
      readonly size: string;
      readonly defaultSize: number;
      readonly maxSize: number;
      /** The cursor in the body of a page. Default: its `next_cursor`. */
      readonly next?: (body: Fields) => unknown;
    };

/** Ids, each made of a counter. */
interface Ids {
  reference(n: number): string;
  invoice(n: number): string | number;
  webhook(n: number): string | number;
  account(n: number): string | number;
}

/** How each resource is shown. */
interface Views {
  merchant(): Fields;
  account(id: string | number): Fields;
  payment(payment: Payment): Fields;
  /** A payment in a list. */
  paymentItem(payment: Payment): Fields;
  initiated(payment: Payment): Fields;
  phone(number: string, isValid: boolean): Fields;
  webhook(webhook: Webhook, id: string | number): Fields;
  invoice(invoice: Invoice, id: string | number): Fields;
  deleted(id: string | number): unknown;
}

/** How a delivery is made. */
interface DeliveryFormat {
  readonly prefix: string;
  readonly retriesMs: readonly number[];
  /** Beside the content type and the signature. */
  headers(page: { event: string; n: number; attempt: number; at: Date }): Record<string, string>;
}

/** One real service, as this table imagines it: all that differs between services. */
export interface Dialect {
  readonly name: string;
  /** What is special about it; of a real service its name. */
  readonly about: string;
  /** The pages of the documentation of a real service, and what of the row they do not show. */
  readonly source?: readonly string[];
  /** The body of a success. `documented` is true where the interface shows the envelope. */
  wrap(data: unknown, page: { documented: boolean; resource: string; n: number }): unknown;
  list(items: Fields[], page: PageValues, name: ListName): unknown;
  readonly paging: Paging;
  readonly statuses: {
    readonly created: number;
    readonly initiated: number;
    readonly deleted: number;
    readonly sent: number;
  };
  readonly rejections: Readonly<Record<Cause, number>>;
  /** A string is sent as HTML. */
  reject(rejection: Rejection): unknown;
  readonly ids: Ids;
  readonly views: Views;
  /** `data` of an event; the view of the resource where a kind has none. */
  readonly events: Readonly<Record<string, (payment: Payment) => Fields>>;
  readonly delivery: DeliveryFormat;
  /** On every response, beside the content type. */
  headers(page: { n: number; left: number }): Record<string, string>;
  /** Whether a page that is too long is shortened. Otherwise it is rejected. */
  readonly clampsSize?: true;
  readonly oldestFirst?: true;
  /** How many requests it takes until a list shows what is new. */
  readonly listLag?: number;
  /** Whether a public key is rejected for writes although its rejection has the status 200. */
  readonly chargesPublicKeys?: true;
  /** Whether keys have scopes. */
  readonly hasScopes: boolean;
  /** Whether a request with a field that the service does not know is rejected. */
  readonly isStrict: boolean;
  /** Whether `POST /mobile-money/validate-phone` rejects what is not a number at all. */
  readonly rejectsBadPhones: boolean;
  /** How many requests it takes before a 429, after which one second passes. */
  readonly requestsPerSecond?: number;
  /** It never speaks JSON. */
  readonly html?: true;
}
