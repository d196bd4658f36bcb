/**
 * The merchant that the key belongs to. The interface shows no field: narrow it by declaration
 * merging, `declare module "malipo" { interface Merchant { name: string } }`.
 *
 * @see Service interface, section 2.
 */
export interface Merchant {
  [field: string]: unknown;
}

/**
 * An account that payments are made to. Fields other than the identifier are not shown: narrow
 * them by declaration merging.
 *
 * @see Service interface, section 2.
 */
export interface PaymentAccount {
  /** What `payment_account_id` of an initiation takes. */
  payment_account_id?: string | number;
  [field: string]: unknown;
}
