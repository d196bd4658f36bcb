import { readBody } from "../../../client/http/read-body.ts";
import { isErrorEnvelope } from "../../../client/response/envelope.ts";
import { keyKind } from "../../../contract/keys.ts";
import { ProbeError } from "../../../errors/probe.ts";
import { describeConnectionError, describeError } from "../../../internal/describe-error.ts";
import { failureCode } from "../../../internal/failed-before-sending.ts";
import { type Exchange, parseBody } from "../../exchange.ts";

export interface Outgoing extends Pick<Exchange, "method" | "path" | "query" | "sent"> {
  /** The text of `sent`. */
  readonly body?: string | undefined;
  readonly key: string | undefined;
  readonly origin?: string | undefined;
}

/** A response that was read to its end, with what a profile learns of its request. */
export interface Received extends Exchange {
  readonly headers: Headers;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
}

/** Whether the service did what was asked, with a body of JSON or with none. */
export function isSuccess({ status, json, body }: Received): boolean {
  const isRead = json !== undefined || body.trim() === "";
  return status >= 200 && status < 300 && isRead && !isErrorEnvelope(json);
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10_485_760; // 10 MiB

/**
 * Sends one request to the service, and follows no redirect.
 *
 * @throws {ProbeError} `unreachable` if there is no response.
 */
export async function exchange(
  baseUrl: string,
  { body: sentText, key, origin, ...request }: Outgoing,
  signal: AbortSignal | undefined,
): Promise<Received> {
  const { method, path, query } = request;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(baseUrl + path + (query?.size ? `?${query}` : ""), {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "malipo-probe",
        ...(key !== undefined && { "x-api-key": key }),
        ...(sentText !== undefined && { "content-type": "application/json" }),
        ...(origin !== undefined && { origin }),
      },
      ...(sentText !== undefined && { body: sentText }),
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const body = await readBody(response, MAX_BYTES);
    if (body === undefined) {
      const message = `The service sent more than ${MAX_BYTES / 1_048_576} MiB in one response. The probe does not read that much. Check --base-url.`;
      throw new ProbeError("response_too_large", message);
    }
    const { status, headers } = response;
    return {
      ...request,
      key: key === undefined ? "none" : (keyKind(key) ?? "other"),
      hasBody: sentText !== undefined,
      hasOrigin: origin !== undefined,
      ...{ status, headers, body, json: parseBody(body).value },
    };
  } catch (error) {
    throw error instanceof ProbeError ? error : unreachable(baseUrl, error);
  }
}

function unreachable(baseUrl: string, error: unknown): ProbeError {
  const { name, cause } = Object(error) as { name?: unknown; cause?: unknown };
  const code = failureCode(error);
  const reason =
    name === "TimeoutError"
      ? `there was no response within ${TIMEOUT_MS / 1_000} s`
      : code === undefined
        ? describeError(cause ?? error)
        : describeConnectionError(code);
  return new ProbeError(
    "unreachable",
    `The probe got no response from ${new URL(baseUrl).origin}: ${reason}. Check --base-url, and that the service is up.`,
    { cause: error },
  );
}
