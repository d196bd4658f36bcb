import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import type { Receipt } from "../inbox/inbox-types.ts";

declare const STORED: unique symbol;

/** 200: the delivery is stored, now or before. Made only from the receipt of an inbox. */
export interface Acknowledgement {
  readonly status: 200;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly [STORED]: true;
}

/**
 * The delivery is not stored: 405 for a method other than POST, 413 for a body that is too large, 401
 * and 400 for a delivery that failed verification, 500 if the raw body was not available, 503 if
 * the inbox could not store it.
 */
export interface Rejection {
  readonly status: 400 | 401 | 405 | 413 | 500 | 503;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What a receiver responds. Adapters turn it into the response of their framework. */
export type WebhookResponse = Acknowledgement | Rejection;

// The service reads `ResultCode` 0 as an acknowledgement. The text never quotes the body, the digest
// or the secret.
const bodyOf = (code: number, text: string): string =>
  JSON.stringify({ ResultCode: code, ResultDesc: text });

const JSON_TYPE = { "content-type": "application/json" };

// PURE, so that a bundle of `verifyWebhook` leaves it out.
const ACKNOWLEDGEMENTS: Readonly<Record<Receipt["kind"], string>> = {
  accepted: /* @__PURE__ */ bodyOf(0, "received"),
  duplicate: /* @__PURE__ */ bodyOf(0, "received before"),
  conflict: /* @__PURE__ */ bodyOf(0, "received before with other data"),
};

/** @throws {ConfigurationError} for a value that is not the receipt of an inbox. */
export function acknowledge(receipt: Receipt): Acknowledgement {
  const kind = (receipt as Partial<Receipt> | undefined)?.kind;
  if (kind === undefined || !Object.hasOwn(ACKNOWLEDGEMENTS, kind)) {
    throw new ConfigurationError(
      `accept() of the inbox must resolve with a receipt, which receiptFor() makes; got ${describeValue(receipt)}.`,
    );
  }
  const body = ACKNOWLEDGEMENTS[kind];
  const acknowledgement = { status: 200 as const, headers: { ...JSON_TYPE }, body };
  return acknowledgement as unknown as Acknowledgement;
}

export function reject(
  status: Rejection["status"],
  text: string,
  headers: Record<string, string> = {},
): Rejection {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: bodyOf(1, text) };
}
