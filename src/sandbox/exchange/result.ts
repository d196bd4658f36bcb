import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/stored.ts";

/** The merchant, as the sandbox knows it. */
interface Merchant {
  readonly merchant_id: number;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
}

interface PaymentAccount {
  readonly payment_account_id: string | number;
  readonly name: string;
  readonly currency: string;
  readonly is_default: boolean;
}

/** What the sandbox knows of a phone number. */
interface PhoneValidation {
  readonly valid: boolean;
  readonly phone: string;
  readonly network?: string;
}

/** What was deleted. */
interface Deletion {
  readonly id: string;
}

/** What a response can be about. An `initiation` is a payment that has just begun. */
export interface Records {
  readonly merchant: Merchant;
  readonly account: PaymentAccount;
  readonly payment: StoredPayment;
  readonly initiation: StoredPayment;
  readonly phone: PhoneValidation;
  readonly webhook: StoredWebhook;
  readonly invoice: StoredInvoice;
  readonly deletion: Deletion;
}

export type Resource = keyof Records;

/** The part of a list that a request asks for. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  /** The page begins after the record with this id. */
  readonly after?: string;
  /** Whether the oldest come first. */
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
