import type { ResponseFields } from "../../errors/api.ts";
import { parseJson } from "../../internal/json.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import type { CallContext, HttpResponse } from "./http-types.ts";
import { paymentIn } from "./payment-in-body.ts";
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
  const { error, message, errors } = Object(body) as Record<string, unknown>;
  const found = [error, message, body].find((one) => typeof one === "string" && one !== "");
  const said = typeof found === "string" ? found : body === "" ? "" : toJson(body);
  // Laravel and others name the fields beside a message that says "invalid".
  const isNamed = typeof found === "string" && typeof errors === "object" && errors !== null;
  const text = isNamed ? `${said} ${toJson(errors)}` : said;
  // Cut twice: only the start of a long text is masked, and a phone must not be cut in two.
  const masked = maskPhones(text.slice(0, MAX_EXCERPT * 2)).trim();
  if (masked === "") return "no body.";
  if (masked.length > MAX_EXCERPT) return `${masked.slice(0, MAX_EXCERPT)}...`;
  return /[^.!?]$/.test(masked) ? `${masked}.` : masked;
}

/** The JSON of a body without the key; the text if it is not JSON or nests too deep. */
function safeBody(json: unknown, text: string, redactor: Redactor): unknown {
  try {
    if (json !== undefined) return redactor.json(json);
  } catch {
    // Too deep.
  }
  return redactor.text(text);
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
  { endpoint: { effect }, settings: { redactor } }: CallContext,
  { response, text }: HttpResponse,
): ResponseFields & { readonly namesPayment: boolean } {
  const json = parseJson(text);
  const payment = effect === "create" ? paymentIn(json) : undefined;
  return {
    status: response.status,
    body: safeBody(json, text, redactor),
    headers: safeHeaders(response.headers, redactor),
    retryAfterMs: retryAfterMs(response.headers, RATE_LIMITED.has(response.status)),
    namesPayment: payment !== undefined,
    reference: payment?.reference && redactor.text(payment.reference),
  };
}
