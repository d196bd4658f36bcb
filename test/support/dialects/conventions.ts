import { documentedPayment, unixSeconds } from "./format.ts";
import type { Dialect, Fields, Invoice, Payment, Webhook } from "./types.ts";

// What the dialects of real services share.

/** Of what no stored page shows. */
export const NOT_AT_HAND = "from memory of the documentation; the page was not at hand";

/** `other` if the interface leaves the envelope open; `more` stands in the documented one, too. */
export const envelope =
  (other: (data: never, resource: string) => unknown, more: Fields = {}): Dialect["wrap"] =>
  (data, { documented, resource }) =>
    documented ? { success: true, ...more, data } : other(data as never, resource);

export const pages = (total: number, size: number) => Math.max(Math.ceil(total / size), 1);
export const isLater = (page: number, size: number, total: number) => page * size < total;
export const note = ({ fields }: Invoice) => fields.description ?? null;
export const units = (cents: number | undefined) => (cents ?? 0) / 100;

/** The status of an invoice under the names of a service. */
export const statusIn = (names: Readonly<Record<string, string>>, { state }: Invoice): string =>
  names[state] ?? state;

/** The documented fields of a payment, and further ones. */
export const withFields =
  (more: (payment: Payment) => Fields): Dialect["views"]["payment"] =>
  (payment) => ({ ...documentedPayment(payment), ...more(payment) });

export const hook = ({ name, url, events }: Webhook) => ({ name, url, events });
export const links = (path: string) => ({ self: { href: `https://api.example/v1${path}` } });
export const secondsZulu = (at: Date) =>
  new Date(unixSeconds(at) * 1_000).toISOString().replace(".000", "");
