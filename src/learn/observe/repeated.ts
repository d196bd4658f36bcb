import { isObject } from "../../internal/is-object.ts";
import type { KnownName } from "../../profile/types.ts";

/** Values of a request that its response may repeat. In memory only, never in a profile. */
export type KnownValues = Readonly<Partial<Record<KnownName, unknown>>>;

const TEXTS: readonly KnownName[] = ["description", "account_reference", "name", "url"];

/** Shorter values may be equal by chance. */
const MIN_LENGTH = 3;
const PHONE_DIGITS = 9;
const MAX_PAYMENTS = 500;

const onlyDigits = (value: unknown): string => String(value).replace(/\D/g, "");

const isAlikePhone = (value: string, phone: unknown): boolean =>
  /^\+?\d{9,15}$/.test(value) &&
  onlyDigits(value).slice(-PHONE_DIGITS) === onlyDigits(phone).slice(-PHONE_DIGITS);

/** How a number or its text stands for an amount. */
function amountNames(value: number | string, amount: unknown): KnownName[] {
  const isNumber = typeof value === "number" || /^\d+(\.\d+)?$/.test(value);
  if (typeof amount !== "number" || !isNumber) return [];
  const number = Number(value);
  if (!String(value).includes(".") && String(number).length < MIN_LENGTH) return [];
  if (number === amount) return ["amount"];
  if (number === Math.round(amount * 100)) return ["minor"];
  return number === Math.round(amount) ? ["rounded"] : [];
}

/** They are repeated as they are, as a text or a number. */
const PLAIN: readonly KnownName[] = ["id", "reference", "status"];

/** What a value repeats of what is known of the request. */
export function repeatedNames(value: unknown, known: KnownValues): readonly KnownName[] {
  if (typeof value !== "number" && typeof value !== "string") return [];
  const text = String(value);
  const names = amountNames(value, known.amount);
  names.push(...PLAIN.filter((name) => known[name] !== undefined && text === String(known[name])));
  if (known.phone !== undefined && isAlikePhone(text, known.phone)) names.push("phone");
  if (typeof value === "number") return names;
  if (text.length >= MIN_LENGTH) names.push(...TEXTS.filter((name) => text === known[name]));
  if (known.field === text) names.push("field");
  else if (known.field !== undefined && text.endsWith(`/${known.field}`)) names.push("pointer");
  return names;
}

const SENT: readonly KnownName[] = ["amount", "phone", ...TEXTS];

/** The fields of a request that its response may repeat. */
export function knownOfRequest(path: string, sent: unknown): KnownValues {
  const [, id] = /^\/(?:payments|invoices|webhooks)\/([^/]+)(?:\/send)?$/.exec(path) ?? [];
  const fields = isObject(sent) ? sent : {};
  const known = SENT.filter((name) => fields[name] !== undefined);
  const hasId = id !== undefined && id !== "register" && id !== "initiate";
  return {
    ...Object.fromEntries(known.map((name) => [name, fields[name]])),
    ...(hasId && { id: decodeURIComponent(id) }),
  };
}

/** What was sent with the last payments, by their reference. */
export class SentPayments {
  readonly #sent = new Map<string, KnownValues>();

  /** Remembers a payment that was started. */
  add(sent: KnownValues, body: unknown): void {
    const reference = referenceIn(body);
    if (reference === undefined) return;
    this.#sent.set(reference, { ...sent, reference });
    const [oldest = ""] = this.#sent.keys();
    if (this.#sent.size > MAX_PAYMENTS) this.#sent.delete(oldest);
  }

  /** What was sent with the payment in a body, by its documented place. */
  of(body: unknown): KnownValues {
    const reference = referenceIn(body);
    return reference === undefined ? {} : { reference, ...this.#sent.get(reference) };
  }
}

function referenceIn(body: unknown): string | undefined {
  const { reference } = Object(Object(body).data) as { reference?: unknown };
  return typeof reference === "string" ? reference : undefined;
}
