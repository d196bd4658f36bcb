/**
 * A receiver on AWS Lambda.
 *
 * @module malipo/lambda
 */

import type { WebhookReceiver } from "../receiver/receiver.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";

/** What API Gateway (payloads 1.0 and 2.0) and function URLs call a function with. */
export interface LambdaRequest {
  /** Payload 1.0. */
  readonly httpMethod?: string | undefined;
  /** Payload 2.0, and function URLs. */
  readonly requestContext?: {
    readonly http?: { readonly method?: string | undefined } | undefined;
  };
  readonly headers?: Record<string, string | undefined> | null | undefined;
  /** Payload 1.0: every value of every header. */
  readonly multiValueHeaders?: Record<string, string[] | undefined> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** What they take for an answer. */
export interface LambdaReply {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

const HINT =
  "Lambda: take `httpJsonBodyParser()`, or whatever else parses `event.body`, away from this function.";

function bytesOf(body: string, isBase64: boolean): Uint8Array {
  try {
    if (isBase64) return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    // No base64, whatever the flag says: the signature decides whether it is the body.
  }
  return new TextEncoder().encode(body);
}

/**
 * Mounts a receiver on AWS Lambda: API Gateway v1 and v2, function URLs.
 *
 * A function that is frozen after its answer works nothing off: store in Redis or PostgreSQL, and let
 * a process that stays call `receiver.start()`.
 *
 * @example
 * ```ts
 * export const handler = lambdaHandler(receiver);
 * ```
 */
export function lambdaHandler(
  receiver: WebhookReceiver,
): (event: LambdaRequest) => Promise<LambdaReply> {
  return async (event) => {
    const { httpMethod, requestContext, multiValueHeaders, headers, isBase64Encoded } = event;
    const method = requestContext?.http?.method ?? httpMethod ?? "GET";
    const body: unknown = event.body ?? "";
    const reply =
      method === "POST" && typeof body !== "string"
        ? receiver.refuseUnraw(HINT)
        : await receiver.handle({
            method,
            headers: (multiValueHeaders ?? headers ?? {}) as WebhookHeaders,
            body: bytesOf(String(body), isBase64Encoded === true),
          });
    return {
      statusCode: reply.status,
      headers: reply.headers,
      body: reply.body,
      isBase64Encoded: false,
    };
  };
}
