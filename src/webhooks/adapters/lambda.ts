/**
 * A receiver on AWS Lambda.
 *
 * @module malipo/lambda
 */

import { encodeText } from "../../internal/utf8.ts";
import type { WebhookReceiver } from "../receiver/webhook-receiver.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";

/** The event of API Gateway (payloads 1.0 and 2.0) and of function URLs. */
export interface LambdaRequest {
  /** Payload 1.0. */
  readonly httpMethod?: string | undefined;
  /** Payload 1.0. */
  readonly path?: string | undefined;
  /** Payload 1.0: decoded. */
  readonly multiValueQueryStringParameters?:
    | Record<string, string[] | undefined>
    | null
    | undefined;
  /** Of a load balancer, and payload 1.0: the last value of each parameter. */
  readonly queryStringParameters?: Record<string, string | undefined> | null | undefined;
  /** Payload 2.0, and function URLs. */
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  /** Only payload 2.0 has `http`: TypeScript would reject the contexts of the others, which share nothing with it. */
  readonly requestContext?: object & {
    readonly http?: { readonly method?: string | undefined } | undefined;
  };
  readonly headers?: Record<string, string | undefined> | null | undefined;
  /** Payload 1.0, and a load balancer that is set up so: all values of each header. */
  readonly multiValueHeaders?: Record<string, string[] | undefined> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The response that they take. */
export interface LambdaResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** For a request that has them: such a load balancer reads nothing else. */
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** The path and the query. */
function urlOf({
  rawPath,
  rawQueryString = "",
  path = "/",
  multiValueQueryStringParameters,
  queryStringParameters,
}: LambdaRequest): string {
  if (rawPath !== undefined) return rawQueryString ? `${rawPath}?${rawQueryString}` : rawPath;
  const query = new URLSearchParams();
  const parameters = multiValueQueryStringParameters ?? queryStringParameters ?? {};
  for (const [name, values = []] of Object.entries(parameters)) {
    for (const value of [values].flat()) query.append(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Tools that make events for tests leave the lists empty. */
const headersOf = ({ multiValueHeaders, headers }: LambdaRequest): WebhookHeaders => {
  const isFilled = Object.keys(multiValueHeaders ?? {}).length > 0;
  return ((isFilled ? multiValueHeaders : headers) ?? {}) as WebhookHeaders;
};

const HINT =
  "Lambda: remove `httpJsonBodyParser()`, or any other middleware that parses `event.body`, from this function.";

function bytesOf(body: string, isBase64: boolean): Uint8Array {
  try {
    if (isBase64) return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    // Not base64, in spite of the flag. The signature decides whether it is the body.
  }
  return encodeText(body);
}

/**
 * Mounts a receiver on AWS Lambda: API Gateway v1 and v2, function URLs, load balancers with and without multi-value headers.
 *
 * A function that is frozen after its response processes nothing: store in Redis or PostgreSQL, and
 * call `receiver.start()` in a process that keeps running.
 *
 * @example
 * ```ts
 * export const handler = lambdaHandler(receiver);
 * ```
 */
export function lambdaHandler(
  receiver: WebhookReceiver,
): (event: LambdaRequest) => Promise<LambdaResponse> {
  return async (event) => {
    const { httpMethod, requestContext, multiValueHeaders, isBase64Encoded } = event;
    const method = requestContext?.http?.method ?? httpMethod ?? "GET";
    const body: unknown = event.body ?? "";
    const response =
      method === "POST" && typeof body !== "string"
        ? receiver.rejectParsedBody(HINT)
        : await receiver.handle({
            method,
            url: urlOf(event),
            headers: headersOf(event),
            body: bytesOf(String(body), isBase64Encoded === true),
          });
    return {
      statusCode: response.status,
      headers: response.headers,
      ...(multiValueHeaders && {
        multiValueHeaders: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [name, [value]]),
        ),
      }),
      body: response.body,
      isBase64Encoded: false,
    };
  };
}
