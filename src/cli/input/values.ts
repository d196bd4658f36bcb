import { usage } from "../failure.ts";

// Values of flags, checked before anything is done. Digits are checked by a pattern: `Number` takes
// more than people mean.

export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw usage(`--${flag} is "${text}". It takes a whole number from ${least} to ${most}.`);
}

export function amountOf(flag: string, text: string): number {
  if (/^\d{1,12}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw usage(
    `--${flag} is "${text}". It takes an amount with at most two decimals, such as 100.50.`,
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function durationOf(flag: string, text: string): number {
  const [, amount, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw usage(`--${flag} is "${text}". It takes a length of time, such as 90s or 2m.`);
}

/** An address of a receiver or of a sandbox: `http:` or `https:`. */
export function addressOf(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw usage(`${what} is "${text}". It takes an address, such as http://localhost:3000/webhooks.`);
}

/** A flag that the command cannot do without. */
export function needed(flag: string, text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw usage(`--${flag} is missing.`);
}

/** The signing secret: from the flag, else from the environment. */
export function secretOf(text: string | undefined): string {
  const secret = text ?? process.env.MALIPO_WEBHOOK_SECRET;
  if (secret) return secret;
  throw usage(
    "No signing secret. Set MALIPO_WEBHOOK_SECRET, or give --secret. A sandbox prints its own at the start.",
  );
}

/** `--query page=2`: what is passed on to the service. */
export function queryOf(pairs: readonly string[] = []): Record<string, string[]> {
  const query: Record<string, string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw usage(`--query is "${pair}". It takes name=value, such as page=2.`);
    const name = pair.slice(0, at);
    query[name] = [...(query[name] ?? []), pair.slice(at + 1)];
  }
  return query;
}
