/**
 * An invoice. The interface shows no field: narrow it by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo" {
 *   interface Invoice { total: string }
 * }
 * ```
 *
 * @see Service interface, section 2.
 */
export interface Invoice {
  [field: string]: unknown;
}

/** What an invoice is made or changed with. Not shown by the interface: narrow it by declaration merging. */
export interface InvoiceFields {
  [field: string]: unknown;
}

/** What may go with the sending of an invoice. Not shown by the interface: narrow it by declaration merging. */
export interface InvoiceSendParams {
  [field: string]: unknown;
}
