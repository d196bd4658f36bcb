import type { MERCHANT } from "../state/merchant.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/stored.ts";

/** What a response can be about. An `initiation` is a payment that has just begun. */
export interface Records {
  readonly merchant: typeof MERCHANT;
  readonly account: {
    readonly payment_account_id: string | number;
    readonly name: string;
    readonly currency: string;
    readonly is_default: boolean;
  };
  readonly payment: StoredPayment;
  readonly initiation: StoredPayment;
  readonly phone: { readonly valid: boolean; readonly phone: string; readonly network?: string };
  readonly webhook: StoredWebhook;
  readonly invoice: StoredInvoice;
  readonly deletion: { readonly id: string };
}

export type Resource = keyof Records;

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  /** The page begins after the record with this id. */
  readonly after?: string;
  readonly oldestFirst?: boolean;
}

export interface Page extends PageRequest {
  /** How many there are in the whole list. */
  readonly total: number;
}

/** What an endpoint decided. The serializer of the sandbox puts it into words. */
export type RouteResult = {
  [One in Resource]:
    | { readonly resource: One; readonly record: Records[One]; readonly isNew?: true }
    | { readonly resource: One; readonly records: readonly Records[One][]; readonly page: Page };
}[Resource];
