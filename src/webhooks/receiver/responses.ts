import { ConfigurationError } from "../../errors/configuration.ts";
import type { Receipt } from "../inbox/types.ts";

interface Shape {
  readonly headers: Record<string, string>;
  readonly body: string;
}

declare const RECEIPT: unique symbol;

/** 200: stored, repeats included. Made of an inbox's receipt, and of nothing else. */
export interface Acknowledgement extends Shape {
  readonly status: 200;
  readonly [RECEIPT]: true;
}

/**
 * Not taken: 405 other than POST, 413 too large, 401 and 400 not to be trusted, 500 where the raw body
 * was lost on the way, 503 where it cannot be stored now.
 */
export interface Refusal extends Shape {
  readonly status: 400 | 401 | 405 | 413 | 500 | 503;
}

/** What a receiver answers. Adapters turn it into their framework's response. */
export type Reply = Acknowledgement | Refusal;

// Section 6.7: `ResultCode` 0 means received. Anything else says in words what it is, and nothing of
// the body, the digest or the secret.
const shape = (code: number, text: string, headers = {}): Shape => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ ResultCode: code, ResultDesc: text }),
});

const RECEIVED: Readonly<Record<Receipt["standing"], string>> = {
  accepted: "received",
  duplicate: "received before",
  conflict: "received with other data before",
};

/** 200. There is no way to it but by the receipt that an inbox gives for what it has stored. */
export function acknowledge({ standing }: Receipt): Acknowledgement {
  if (!Object.hasOwn(RECEIVED, standing)) {
    throw new ConfigurationError("The inbox gave no receipt. `receiptFor()` makes one.");
  }
  return { status: 200, ...shape(0, RECEIVED[standing]) } as Acknowledgement;
}

export const refuse = (
  status: Refusal["status"],
  text: string,
  headers?: Record<string, string>,
): Refusal => ({ status, ...shape(1, text, headers) });
