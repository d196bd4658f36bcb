/**
 * The merchant that owns the API key. The service does not document its fields. Declare the fields
 * that you use by declaration merging.
 *
 * @example
 * ```ts
 * declare module "malipo" {
 *   interface Merchant { name: string }
 * }
 * ```
 *
 * @see docs/reference/service.md, "Endpoints"
 */
export interface Merchant extends Record<string, unknown> {}

/**
 * An account of the merchant that customers pay to. The service documents only its identifier:
 * declare other fields by declaration merging, as for `Merchant`.
 *
 * @see docs/reference/service.md, "Endpoints"
 */
export interface PaymentAccount {
  /** Identifier of the account, for the start of a payment. */
  payment_account_id?: string | number;
  [field: string]: unknown;
}
