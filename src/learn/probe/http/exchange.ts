import { ProbeError } from "../../../errors/probe.ts";
import { describeConnectionError } from "../../../internal/describe-connection-error.ts";
import { describeError } from "../../../internal/describe-error.ts";
import { failureCode } from "../../../internal/failed-before-sending.ts";
import type { RejectionCause } from "../../../profile/causes.ts";

/** What an exchange shows: a cause, none, or nothing that is sure. */
export type Outcome = { readonly cause: RejectionCause | undefined } | "unclear";

/** One request, complete. */
export interface Outgoing {
  readonly method: string;
  /** Below the base URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly key: string | undefined;
  readonly origin: string | undefined;
}

/** A response that was read to its end. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
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
  request: Outgoing,
  signal: AbortSignal | undefined,
): Promise<Received> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(addressOf(baseUrl, request), {
      method: request.method,
      headers: headersOf(request),
      ...(request.body !== undefined && { body: request.body }),
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await readText(response);
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  } catch (error) {
    if (error instanceof ProbeError) throw error;
    throw unreachable(baseUrl, error);
  }
}

function addressOf(baseUrl: string, { path, query }: Outgoing): string {
  const text = query.toString();
  return baseUrl + path + (text === "" ? "" : `?${text}`);
}

function headersOf({ key, body, origin }: Outgoing): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": "malipo-probe",
    ...(key !== undefined && { "x-api-key": key }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(origin !== undefined && { origin }),
  };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      const message = `The service sent more than ${MAX_BYTES / 1_048_576} MiB in one response. The probe does not read that much. Check --base-url.`;
      throw new ProbeError("response_too_large", message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(baseUrl: string, error: unknown): ProbeError {
  const { name } = Object(error) as { name?: unknown };
  const code = failureCode(error);
  const reason =
    name === "TimeoutError"
      ? `there was no response within ${TIMEOUT_MS / 1_000} s`
      : code === undefined
        ? describeError((error as { cause?: unknown }).cause ?? error)
        : describeConnectionError(code);
  return new ProbeError(
    "unreachable",
    `The probe got no response from ${new URL(baseUrl).origin}: ${reason}. Check --base-url, and that the service is up.`,
    { cause: error },
  );
}
