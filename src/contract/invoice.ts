/**
 * An invoice. The service does not document its fields. Declare the fields that you use by
 * declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo" {
 *   interface Invoice { total: string }
 * }
 * ```
 *
 * @see docs/reference/service.md, "Invoices"
 */
export interface Invoice extends Record<string, unknown> {}

/**
 * The fields of `invoices.create` and `invoices.update`. The service does not document them: declare
 * yours by declaration merging, as for `Invoice`.
 */
export interface InvoiceFields extends Record<string, unknown> {}

/**
 * The parameters of `invoices.send`. The service does not document them: declare yours by
 * declaration merging, as for `Invoice`.
 */
export interface InvoiceSendParams extends Record<string, unknown> {}
