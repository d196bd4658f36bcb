import type { Checkout } from "../checkout/checkout-options.ts";
import type { Gateway } from "../client/gateway.ts";
import type { CountryCode } from "../contract/countries.ts";
import { KENYA } from "../phones/phone-number.ts";
import type { WebhookReceiver } from "../webhooks/receiver/webhook-receiver.ts";

/** What the page reads from. */
export interface Sources {
  readonly gateway: Gateway;
  readonly receiver: WebhookReceiver;
  readonly checkout: Checkout | undefined;
}

/** The country of numbers without their code. Without a checkout, it is Kenya. */
export const countryOf = ({ checkout }: Sources): CountryCode | undefined =>
  checkout === undefined ? KENYA : checkout.country;

/** What a row says about what it belongs to, as far as it is known. */
export interface KnownOfEntry {
  readonly order?: string | undefined;
  readonly amount?: string | undefined;
  /** What has come, for the search: it may be another amount. */
  readonly cameAmounts?: readonly string[];
  /** The network's ids of what has come, for the search. */
  readonly transactionIds?: readonly string[];
  /** The network's id of the payment that it is about: the M-Pesa code. */
  readonly code?: string | undefined;
  /** The phone of the payer, masked. */
  readonly phone?: string | undefined;
  /** The phones of all payers, masked, for the search. */
  readonly payers?: readonly string[];
  /** What was typed as the label, for the search. */
  readonly label?: string | undefined;
  /** The digits of the phone, for the search alone: no page shows them. */
  readonly phoneDigits?: string | undefined;
  /** References of payments. */
  readonly references: readonly string[];
}

/** What a person says with a decision about a case. */
export interface DecisionNote {
  /** Of the refund, such as its M-Pesa code. */
  readonly reference?: string | undefined;
  readonly reason?: string | undefined;
}

/** Something that a person can decide. */
export interface Choice {
  /** Its name in a form. */
  readonly action: string;
  /** What its button says. */
  readonly label: string;
  /** What it will do, in a sentence. */
  readonly says: (count: number) => string;
  /** What it has done, in a sentence. */
  readonly done: (count: number) => string;
  /** Whether something is lost by it. */
  readonly isDestructive?: boolean;
  /** It counts the order as paid, or gives the goods of one that is: it is not offered after another payment has paid the order. */
  readonly pays?: boolean;
  /** What it does and its line in the log of the checkout are one transaction. */
  readonly isLogged?: boolean;
  /** What a person may say with it. */
  readonly asks?: readonly (keyof DecisionNote)[];
  /** @param line - What the log of the checkout gets, if `isLogged`. */
  run(
    ids: readonly string[],
    by: string | undefined,
    line?: object,
    note?: DecisionNote,
  ): Promise<unknown>;
}

/** What waits for a person. */
export interface Entry {
  readonly id: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  /** Why it waits. */
  readonly cause: string;
  /** What a person does about it, if not what its list says. */
  readonly todo?: string | undefined;
  /** The order of the checkout. */
  readonly orderId?: string | undefined;
  /** References of the payments that it is about, the last one above all. */
  readonly about?: readonly string[];
  /** What came by that payment, if it is known. */
  readonly came?: string | undefined;
  readonly known?: KnownOfEntry | undefined;
  /** Reads the raw body of its event, which may be large. */
  readonly readBody?: (() => Promise<string>) | undefined;
  /** What the page says about it when it is open. */
  readonly notes?: readonly string[];
  readonly choices: readonly Choice[];
}

/** What a list has. */
export interface Entries {
  readonly entries: readonly Entry[];
  /** Whether there are more than were read. */
  readonly hasMore: boolean;
  /** Why a part of it could not be read. */
  readonly problem?: string | undefined;
}
