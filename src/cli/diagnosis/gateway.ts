import { statSync } from "node:fs";
import { Gateway } from "../../client/gateway.ts";
import type { GatewayOptions } from "../../client/options.ts";
import { settingsFrom } from "../../client/settings.ts";
import { type KeyKind, keyKind } from "../../contract/keys.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { Check } from "./check.ts";
import { examineTls } from "./tls.ts";

/** Everything about a gateway: key, address, TLS, answer, clock. What needs what failed is skipped. */
export async function examine(
  options: GatewayOptions,
  keyFile: string | undefined,
): Promise<Check[]> {
  const key = examineKey(options, keyFile);
  const [address, url] = examineAddress(options);
  const checks = [key, address];
  if (url === undefined) return checks;
  checks.push(await examineTls(url));
  if (key.state === "fail") return checks;
  return [...checks, ...(await examineService(options))];
}

const PLACES: Readonly<Record<KeyKind, string>> = {
  public: "a public key: may be anywhere, browsers included; reads alone",
  secret: "a secret key: your server alone, never a browser or an app; may do everything",
  sandbox: "a sandbox key: tests alone; in a browser it may do what a public key may",
};

/** A base URL that holds for itself: to look at the key alone. */
const ANY_ADDRESS = "https://service.invalid/v1";

function examineKey(options: GatewayOptions, keyFile: string | undefined): Check {
  const name = "key";
  try {
    const { key } = settingsFrom({ ...options, baseUrl: ANY_ADDRESS });
    const detail = PLACES[keyKind(key) as KeyKind];
    if (keyFile === undefined || process.platform === "win32") return { name, state: "ok", detail };
    if ((statSync(keyFile).mode & 0o077) === 0) return { name, state: "ok", detail };
    const advice = `Others on this machine can read ${keyFile}: chmod 600 ${keyFile}`;
    return { name, state: "warn", detail, advice };
  } catch (error) {
    return { name, state: "fail", detail: (error as Error).message };
  }
}

function examineAddress(options: GatewayOptions): [Check, URL | undefined] {
  const name = "base URL";
  try {
    // A key that holds for itself: to look at the address alone.
    const { baseUrl } = settingsFrom({ ...options, apiKey: "pk_doctor" });
    const url = new URL(baseUrl);
    if (url.pathname !== "/") return [{ name, state: "ok", detail: baseUrl }, url];
    const advice = "The base URL includes the service's path prefix; this one has no path.";
    return [{ name, state: "warn", detail: baseUrl, advice }, url];
  } catch (error) {
    return [{ name, state: "fail", detail: (error as Error).message }, undefined];
  }
}

const TIMEOUT_MS = 10_000;

const SERVICE_ADVICE: Readonly<Record<string, string>> = {
  authentication: "The service does not know this key: revoked, or of another environment?",
  permission: "The key is known but lacks the scope merchant.read. Its other scopes may do.",
  not_found: "Does the base URL include the service's path prefix?",
  connection: "Is the address right, and the service up?",
  timeout: "Is the address right, and the service up?",
};

/** One read with the key, and what its answer's `Date` says of this machine's clock. */
async function examineService(options: GatewayOptions): Promise<Check[]> {
  const name = "service";
  const gateway = new Gateway({ ...options, maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const sentAt = Date.now();
  try {
    const { response } = await gateway.merchant.get().withResponse();
    const detail = `GET /merchant: ${response.status} in ${Date.now() - sentAt} ms; the key is good`;
    return [{ name, state: "ok", detail }, examineClock(response.headers, sentAt)];
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const advice = SERVICE_ADVICE[error.code];
    const state = error.code === "permission" ? "warn" : "fail";
    const check = { name, state, detail: error.message, ...(advice && { advice }) } as const;
    return "headers" in error ? [check, examineClock(error.headers, sentAt)] : [check];
  }
}

/** Beyond this, signed timestamps are refused as from the future. */
const MOST_SKEW_S = 300;
const NOTABLE_SKEW_S = 30;

function examineClock(headers: Headers, sentAt: number): Check {
  const name = "clock";
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return { name, state: "skipped", detail: "the answer has no Date" };
  // `Date` has whole seconds: half of one is missing on average. It was written midway.
  const skewMs = date + 500 - (sentAt + Date.now()) / 2;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const detail =
    seconds === 0
      ? "this machine and the service agree"
      : `this machine is ${seconds} s ${skewMs > 0 ? "behind" : "ahead of"} the service`;
  if (seconds <= NOTABLE_SKEW_S) return { name, state: "ok", detail };
  const advice = "Set the clock (NTP): `maxAgeSeconds` compares it with the service's timestamps.";
  return { name, state: seconds > MOST_SKEW_S ? "fail" : "warn", detail, advice };
}
