import type { RetryAdvice } from "../../contract/result-codes.ts";
import { DAY_MS, MINUTE_MS } from "../../internal/units.ts";
import type { EventSource } from "../../webhooks/index.ts";
import type { MessageCode } from "./customer-messages.ts";
import type { Blocked, OrderState } from "./order-state.ts";
import type { CancelReason, ReviewDecision } from "./order-types.ts";
import type { Rejection } from "./rejections.ts";

/** The times of the rules, in milliseconds. */
export interface Times {
  /** How long after the customer's click a prompt may be sent. */
  readonly promptWithinMs: number;
  /** How long after it was sent a prompt may be open on a phone. */
  readonly promptLifeMs: number;
  /** How much later than `promptWithinMs` nothing of a prompt can be on its way. */
  readonly marginMs: number;
  /** How old an attempt must be until the absence of its payment in the list says that there is none. */
  readonly notSentAfterMs: number;
  /** The shortest and the longest time between two looks at an attempt that has not ended. */
  readonly lookMs: readonly [number, number];
  /** The same for one that has failed. */
  readonly failedLookMs: readonly [number, number];
  /** When an attempt that has not ended becomes a review. */
  readonly reviewAfterMs: number;
  /** How long a failed payment is read again. */
  readonly failedForMs: number;
  /** How long a process has for `onPaid`, before another one tries. */
  readonly effectMs: number;
  /** How often `onPaid` fails before a review says so. */
  readonly effectTries: number;
}

export const TIMES: Times = {
  promptWithinMs: MINUTE_MS,
  promptLifeMs: 3 * MINUTE_MS,
  marginMs: 5_000,
  notSentAfterMs: 10 * MINUTE_MS,
  lookMs: [5_000, 10 * MINUTE_MS],
  failedLookMs: [MINUTE_MS, 120 * MINUTE_MS],
  reviewAfterMs: 30 * MINUTE_MS,
  failedForMs: DAY_MS,
  effectMs: 90_000,
  effectTries: 12,
};

/** A payment, as a webhook or a read reports it. */
export interface PaymentUpdate {
  readonly reference: string;
  /** Another name of the payment, which an update without its reference has as its reference. */
  readonly alias?: string | undefined;
  readonly status: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** The network's id of the payment, which the customer has in his message: the M-Pesa code. */
  readonly transactionId?: string | undefined;
  /** Whose phone it is of, masked. */
  readonly phone?: string | undefined;
  readonly message: string | undefined;
  readonly messageCode?: MessageCode | undefined;
  /** The network's result code of a failure, if it is known. */
  readonly code?: string | undefined;
  readonly retry: RetryAdvice;
  /** The account reference of another order, which it names. */
  readonly otherLabel?: string | undefined;
  /** What was typed as its account reference, if it names no order. */
  readonly typed?: string | undefined;
  /** Orders whose account references are near to that. */
  readonly near?: readonly string[] | undefined;
}

/** Everything that can become known about an order. */
export type Input =
  /**
   * A customer asks to pay. `checked`: how many attempts there were when their payments were read, and
   * `openAgain` those of them that the service did not call completed or failed.
   */
  | {
      readonly kind: "asked";
      readonly phone: string;
      readonly phoneDigest: string;
      readonly after: number | undefined;
      readonly checked: number | undefined;
      readonly openAgain: readonly string[];
    }
  /** The call that sends the prompt of an attempt got a reference. */
  | { readonly kind: "accepted"; readonly number: number; readonly reference: string }
  /** That call certainly sent nothing, or the service rejected it. */
  | ({ readonly kind: "rejected"; readonly number: number } & Pick<Rejection, "message"> &
      Partial<Rejection>)
  /** That call does not know whether it was sent. */
  | { readonly kind: "lost"; readonly number: number }
  /** The idempotency key of an attempt was read. */
  | {
      readonly kind: "key";
      readonly number: number;
      /** `freed`: it was unknown, so its call is over, and the service has no payment of it. */
      readonly state: "free" | "freed" | "in_flight" | "unknown" | "succeeded";
      readonly reference: string | undefined;
      /** When it was read. What is written later says nothing about the time between. */
      readonly seenAt: number;
    }
  | {
      readonly kind: "reported";
      readonly update: PaymentUpdate;
      /** How it became known. */
      readonly source?: EventSource | undefined;
    }
  /** A request was rejected before an attempt began. */
  | ({ readonly kind: "blocked" } & Blocked)
  | { readonly kind: "due" }
  | { readonly kind: "effect_done" }
  | { readonly kind: "effect_failed"; readonly retryInMs: number; readonly reason?: string }
  /** It is not known which writes of `onPaid` were kept. */
  | { readonly kind: "effect_unclear"; readonly reason: string }
  /** `onPaid` refuses the money: its goods cannot be given. */
  | { readonly kind: "effect_refused"; readonly reason: string }
  /** A person has paid a part of the money back, or all of it. */
  | {
      readonly kind: "refund_added";
      /** With two decimals, in the currency of the order. */
      readonly amount: string;
      readonly reference?: string | undefined;
      readonly reason?: string | undefined;
      readonly by?: string | undefined;
      /** What the log of decisions says about it, in the same transaction. */
      readonly lines?: readonly object[];
    }
  | { readonly kind: "canceled"; readonly reason?: CancelReason | undefined }
  /** The merchant changes what is sold. */
  | {
      readonly kind: "updated";
      readonly amount?: string;
      readonly description?: string;
      readonly metadata?: OrderState["metadata"];
    }
  | {
      readonly kind: "decided";
      readonly review: string;
      readonly decision: ReviewDecision;
      /** Of the refund, if it is one. */
      readonly reference?: string | undefined;
      readonly reason?: string | undefined;
      /** Who decided it. */
      readonly by?: string | undefined;
      /** What the log of decisions says about it, in the same transaction. */
      readonly lines?: readonly object[];
    };

/** What is to be done after a rule. */
export type Action =
  | { readonly do: "send"; readonly number: number }
  | { readonly do: "read"; readonly reference: string }
  | { readonly do: "look"; readonly number: number }
  | { readonly do: "effect" };

export interface Result {
  readonly order: OrderState;
  readonly actions: readonly Action[];
  /** The input asks for what is not possible any more: nothing is written, and its caller is told. */
  readonly isRefused?: true;
}

/** What a rule decides by, beside the order. */
export interface Context {
  /** The store's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly times: Times;
}

/** An input of one kind. */
export type InputOf<Kind extends Input["kind"]> = Extract<Input, { kind: Kind }>;
