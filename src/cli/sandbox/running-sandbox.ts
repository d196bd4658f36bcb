import { isObject } from "../../internal/is-object.ts";
import { CliError } from "../cli-error.ts";
import type { FlagValues } from "../definitions/types.ts";
import { EXIT } from "../exit-codes.ts";
import { readUrl } from "../input/flag-values.ts";

const PREFIX = "/_sandbox/api";
const DEFAULT_TIMEOUT_MS = 10_000;

interface SandboxRequest {
  readonly method: "GET" | "POST";
  /** Below the prefix. Its parameters are filled in and encoded. */
  readonly path: string;
  readonly body?: object;
  /** Advancing the clock may wait for many receivers. */
  readonly timeoutMs?: number;
}

/**
 * Calls the control API of the sandbox that runs at `--url`. Resolves with the `data` of the
 * response.
 *
 * @throws {CliError} `unreachable` if there is no response, `refused` if the sandbox rejects the
 *   request.
 */
export async function callSandbox<T>(values: FlagValues, request: SandboxRequest): Promise<T> {
  const { origin } = readUrl(values, "url");
  const { status, text } = await send(origin, request);
  const envelope = parseEnvelope(text);
  if (envelope.success === true) return envelope.data as T;
  const { error } = envelope;
  if (typeof error !== "string") {
    throw refused(`${origin} returned ${status}. It is not a sandbox of this version of malipo.`);
  }
  // 422: the sandbox understood the command and cannot carry it out. Its message says it all.
  throw refused(status === 422 ? error : `${origin} returned ${status}: ${error}`);
}

const refused = (message: string) => new CliError(EXIT.failed, "refused", message);

async function send(
  origin: string,
  { method, path, body, timeoutMs = DEFAULT_TIMEOUT_MS }: SandboxRequest,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(origin + PREFIX + path, {
      method,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    const limit = (cause as Error).name === "TimeoutError" ? ` within ${timeoutMs / 1_000} s` : "";
    throw new CliError(
      EXIT.unreachable,
      "unreachable",
      `No sandbox responds${limit} at ${origin}. Start one: malipo sandbox. If it runs on another port, give --url.`,
      { cause },
    );
  }
}

function parseEnvelope(text: string): Record<string, unknown> {
  try {
    const envelope: unknown = JSON.parse(text);
    return isObject(envelope) ? envelope : {};
  } catch {
    return {};
  }
}
