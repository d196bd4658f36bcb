// A process of the merchant's office: a person in it decides a review, or notes a refund.
import { isGatewayError } from "malipo";
import { createCheckout, type ReviewDecision } from "malipo/checkout";
import { answerTasks, workerSettings } from "../support/worker-process.ts";
import { OFFICE_ENGINES } from "./office-engines.ts";

/** Where the orders are. */
export interface Office {
  readonly engine: keyof typeof OFFICE_ENGINES;
  /** The file or the address of the engine. */
  readonly place: string;
}

/** What a person does. */
export type Task = { readonly by: string } & (
  | { readonly review: string; readonly decision: ReviewDecision }
  | { readonly order: string; readonly amount: number; readonly reference?: string }
);

/** What became of it. */
export interface Reply {
  /** The error, if it was rejected. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly by?: string;
    readonly decision?: string;
    readonly decidedAt?: string;
  };
}

const { engine, place } = workerSettings<Office>();
const checkout = createCheckout({
  store: OFFICE_ENGINES[engine](place),
  gateway: { apiKey: "sk_test_0000000000000000", baseUrl: "http://127.0.0.1:9/api" },
  secret: "secret",
  onPaid: () => {},
});

async function work(task: Task): Promise<Reply> {
  const { by } = task;
  try {
    if ("review" in task) await checkout.reviews.resolve(task.review, task.decision, { by });
    else {
      const { order, amount, reference } = task;
      await checkout.refunds.add(order, { amount, reference, by });
    }
    return {};
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const { message } = error;
    return { error: { ...JSON.parse(JSON.stringify({ ...error })), code: error.code, message } };
  }
}

// It is connected before two people act at the same moment.
await checkout.get("");
answerTasks(work);
