import { statSync } from "node:fs";
import { Gateway } from "../../client/gateway.ts";
import { settingsFrom } from "../../client/settings.ts";
import { isNetworkKey, type KeyKind } from "../../contract/keys.ts";
import { isGatewayError } from "../../errors/any.ts";
import {
  BASE_URL_MISSING,
  type GivenGateway,
  KEY_MISSING,
  sandboxHint,
  settingsMessage,
} from "../gateway-from-flags.ts";
import { pathOf } from "../input/files.ts";
import type { Io } from "../io.ts";
import type { Check } from "./check.ts";
import { certificateAdvice, checkTls, TIMEOUT_MS } from "./check-tls.ts";

/**
 * Checks everything about a gateway: key, base URL, TLS, service and clock. A check that depends on
 * a failed one is left out.
 */
export async function checkGateway(
  io: Io,
  given: GivenGateway,
  keyFile: string | undefined,
): Promise<Check[]> {
  const hint = await sandboxHint(io, given);
  const key = { ...checkKey(given, keyFile && pathOf(io, keyFile)), ...(hint && { advice: hint }) };
  const [baseUrl, url] = checkBaseUrl(given);
  const checks = [key, baseUrl];
  if (url === undefined) return checks;
  checks.push(await checkTls(url, io.env));
  if (key.state === "fail") return checks;
  return [...checks, ...(await checkService(given))];
}

const KEY_KINDS: Readonly<Record<KeyKind, string>> = {
  public: "a public key: it can only read, and may be used anywhere, browsers included",
  secret:
    "a secret key: it can do everything. Use it only on your server, never in a browser or an app",
  sandbox: "a sandbox key: only for tests. In a browser it can do what a public key can do",
};

// `settingsFrom` checks the key and the base URL together. Each is checked here with a valid value
// for the other, so that both problems are reported. A setting that was not given is empty.
const VALID_BASE_URL = "https://service.invalid/v1";
const VALID_KEY = "pk_doctor";

/** `http:` on a private name depends on the key. */
const keyForUrl = ({ apiKey = "" }: GivenGateway): string =>
  isNetworkKey(apiKey) && !/\s/.test(apiKey) ? apiKey : VALID_KEY;

const NETWORK_KEY =
  "a key of a sandbox in a test network: with MALIPO_TEST_NETWORK=1 it may travel by http to a private name";

function checkKey(given: GivenGateway, keyFile: string | undefined): Check {
  const name = "key";
  let detail: string;
  try {
    const { key, kind } = settingsFrom({ apiKey: "", ...given, baseUrl: VALID_BASE_URL });
    detail = isNetworkKey(key) ? NETWORK_KEY : KEY_KINDS[kind];
  } catch (error) {
    const { message } = error as Error;
    return { name, state: "fail", detail: given.apiKey ? message : KEY_MISSING };
  }
  if (keyFile === undefined || !isReadableByOthers(keyFile)) return { name, state: "ok", detail };
  const advice = `Other users of this machine can read ${keyFile}. Run: chmod 600 ${keyFile}`;
  return { name, state: "warn", detail, advice };
}

/** Windows has no such mode bits. */
const isReadableByOthers = (path: string) =>
  process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;

function checkBaseUrl(given: GivenGateway): [check: Check, url: URL | undefined] {
  const name = "base URL";
  try {
    const { baseUrl } = settingsFrom({ baseUrl: "", ...given, apiKey: keyForUrl(given) });
    const url = new URL(baseUrl);
    if (url.pathname !== "/") return [{ name, state: "ok", detail: baseUrl }, url];
    const advice =
      "The base URL must include the path prefix of the service. This one has no path.";
    return [{ name, state: "warn", detail: baseUrl, advice }, url];
  } catch (error) {
    const detail = given.baseUrl ? settingsMessage(error as Error) : BASE_URL_MISSING;
    return [{ name, state: "fail", detail }, undefined];
  }
}

const UNREACHABLE = "Check that the URL is correct and that the service is up.";

const SERVICE_ADVICE: Readonly<Record<string, string>> = {
  authentication:
    "The service does not know this key. It may be revoked, or belong to another environment.",
  permission:
    "The service knows the key, but it lacks the scope merchant.read. Its other scopes may be enough.",
  not_found: "Check that the base URL includes the path prefix of the service.",
  connection: UNREACHABLE,
  timeout: UNREACHABLE,
};

/** Reads the merchant with the key. The `Date` of the response is compared with the clock. */
async function checkService(given: GivenGateway): Promise<Check[]> {
  const name = "service";
  const gateway = new Gateway({ ...given, maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const sentAt = Date.now();
  try {
    const { response } = await gateway.merchant.get().withResponse();
    const detail = `GET /merchant: ${response.status} in ${Date.now() - sentAt} ms; the key is valid`;
    return [{ name, state: "ok", detail }, checkClock(response.headers, sentAt)];
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const advice = certificateAdvice(error) ?? SERVICE_ADVICE[error.code];
    const state = error.code === "permission" ? "warn" : "fail";
    const check = { name, state, detail: error.message, ...(advice && { advice }) } as const;
    return "headers" in error ? [check, checkClock(error.headers, sentAt)] : [check];
  }
}

/** With a larger difference, a receiver rejects signed timestamps as too old or in the future. */
const MAX_DIFFERENCE_S = 300;
const NOTABLE_DIFFERENCE_S = 30;

function checkClock(headers: Headers, sentAt: number): Check {
  const name = "clock";
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) {
    return { name, state: "skipped", detail: "the response has no Date header" };
  }
  // `Date` is cut to whole seconds: on average, half a second is missing. It was written about
  // midway between the request and the response.
  const differenceMs = date + 500 - (sentAt + Date.now()) / 2;
  const seconds = Math.round(Math.abs(differenceMs) / 1_000);
  const detail =
    seconds === 0
      ? "this machine and the service agree"
      : `this machine is ${seconds} s ${differenceMs > 0 ? "behind" : "ahead of"} the service`;
  if (seconds <= NOTABLE_DIFFERENCE_S) return { name, state: "ok", detail };
  const advice =
    "Set the clock (NTP). `maxAgeSeconds` compares it with the timestamps of the service.";
  return { name, state: seconds > MAX_DIFFERENCE_S ? "fail" : "warn", detail, advice };
}
