import type { Order } from "./plan.ts";
import type { StoreLocation } from "./store.ts";

/** What a worker needs to start. */
export interface Setup {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly store: StoreLocation;
}

/** A final status that the shop got. */
export interface FinalStatus {
  readonly reference: string;
  readonly status: string;
}

/** How an attempt to pay ended. */
export type Reply =
  | { readonly end: "final"; readonly result: FinalStatus }
  /** Not known yet. The reference identifies the payment. */
  | { readonly end: "pending"; readonly reference: string }
  /** It may have happened: look it up before paying again. */
  | { readonly end: "unknown"; readonly code: string }
  /** Nothing happened: pay again. */
  | { readonly end: "not_paid"; readonly code: string }
  /** An error that must never happen. */
  | { readonly end: "unexpected"; readonly what: string };

/** How an attempt of unknown outcome was resolved. `conflict`: there was nothing to resolve. */
export type Resolution = "found" | "not_sent" | "conflict";

/** The jobs of a worker. */
export interface Jobs {
  /** A customer clicks. */
  readonly pay: { readonly input: Order; readonly output: Reply };
  /** The same key once more, at the end. */
  readonly payAgain: { readonly input: Order; readonly output: Reply };
  /** The back office resolves attempts of unknown outcome. */
  readonly resolve: { readonly input: readonly Order[]; readonly output: readonly Resolution[] };
  /** The back office reads payments, and returns those in a final status. */
  readonly reconcile: {
    readonly input: readonly string[];
    readonly output: readonly FinalStatus[];
  };
}

export type JobName = keyof Jobs;

export interface JobMessage {
  readonly id: number;
  readonly job: JobName;
  readonly input: Jobs[JobName]["input"];
}

export type WorkerMessage =
  /** The port on which it receives webhooks. */
  | { readonly kind: "ready"; readonly port: number }
  /** Without output, the job could not be done now. */
  | { readonly kind: "done"; readonly id: number; readonly output?: Jobs[JobName]["output"] }
  | { readonly kind: "unexpected"; readonly what: string };
