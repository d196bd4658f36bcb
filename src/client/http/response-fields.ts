import type { ResponseFields } from "../../errors/api.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import type { HttpResponse } from "./exchange.ts";
import { retryAfterMs } from "./retry-after.ts";

const MAX_EXCERPT = 2_000;

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    return "JSON that nests too deep to print";
  }
}

/** What a message quotes of a body: its error text, else all of it, cut and with phones masked. */
export function excerpt(body: unknown): string {
  const { error, message } = Object(body) as { error?: unknown; message?: unknown };
  const found = [error, message, body].find((one) => typeof one === "string" && one !== "");
  const text = typeof found === "string" ? found : body === "" ? "" : toJson(body);
  // Cut twice: only the start of a long text is masked, and a phone must not be cut in two.
  const masked = maskPhones(text.slice(0, MAX_EXCERPT * 2)).trim();
  if (masked.length > MAX_EXCERPT) return `${masked.slice(0, MAX_EXCERPT)}...`;
  return /[^.!?]$/.test(masked) ? `${masked}.` : masked;
}

/** The parsed JSON of a response; its text if it is not JSON or nests too deep. */
function parseBody(text: string, redactor: Redactor): unknown {
  try {
    return redactor.json(JSON.parse(text));
  } catch {
    return redactor.text(text);
  }
}

/** The parsed JSON of a text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy of headers in which none holds the key. */
export function safeHeaders(headers: Headers, redactor: Redactor): Headers {
  const copy = new Headers();
  for (const [name, value] of headers) copy.append(redactor.headerName(name), redactor.text(value));
  return copy;
}

/** Statuses whose reset headers say when to come back. */
const RATE_LIMITED: ReadonlySet<number> = new Set([429, 503]);

/** What an error keeps of a response. Nothing of it holds the key. */
export function responseFields(
  { response, text }: HttpResponse,
  redactor: Redactor,
): ResponseFields {
  return {
    status: response.status,
    body: parseBody(text, redactor),
    headers: safeHeaders(response.headers, redactor),
    retryAfterMs: retryAfterMs(response.headers, RATE_LIMITED.has(response.status)),
  };
}
