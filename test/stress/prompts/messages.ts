import type { Order } from "./plan.ts";
import type { StorePlace } from "./store.ts";

/** What a worker needs to begin. */
export interface Setup {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly store: StorePlace;
}

/** A final answer, as the shop was told it. */
export interface Answer {
  readonly reference: string;
  readonly status: string;
}

/** How asking for a payment ended. */
export type Reply =
  | { readonly end: "settled"; readonly answer: Answer }
  /** Not known yet: the reference says what to look for. */
  | { readonly end: "pending"; readonly reference: string }
  /** It may have happened: look before asking again. */
  | { readonly end: "unknown"; readonly code: string }
  /** Nothing happened: ask again. */
  | { readonly end: "nothing"; readonly code: string }
  /** What the client promises never to do. */
  | { readonly end: "broken"; readonly what: string };

/** What a look at an attempt of unknown outcome came to. `stood`: there was nothing to settle. */
export type Look = "found" | "not_sent" | "stood";

/** The jobs of a worker. */
export interface Jobs {
  /** A customer clicks. */
  readonly pay: { readonly input: Order; readonly output: Reply };
  /** The same key once more, when everything is over. */
  readonly ask: { readonly input: Order; readonly output: Reply };
  /** The back office looks at attempts of unknown outcome, and settles them. */
  readonly settle: { readonly input: readonly Order[]; readonly output: readonly Look[] };
  /** The back office reads payments; gives those that are settled. */
  readonly reconcile: { readonly input: readonly string[]; readonly output: readonly Answer[] };
}

export type JobName = keyof Jobs;

export interface JobMessage {
  readonly id: number;
  readonly job: JobName;
  readonly input: Jobs[JobName]["input"];
}

export type WorkerMessage =
  /** Where it takes webhooks. */
  | { readonly kind: "ready"; readonly port: number }
  /** No output: it could not be done now. */
  | { readonly kind: "done"; readonly id: number; readonly output?: Jobs[JobName]["output"] }
  | { readonly kind: "broken"; readonly what: string };
