import { MAX_TIMEOUT_MS } from "../../internal/check-options.ts";
import { DURATION_UNITS, parseDuration } from "../../internal/duration.ts";
import { DAY_MS } from "../../internal/units.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { SecretFlags } from "../flags/common.ts";
import { readSecret } from "./files.ts";

// The values of flags, checked before anything is sent. A pattern checks the digits first, because
// `Number` accepts "", "1e3" and "0x10" too.

/** Flags of which one is read. */
type Texts<Name extends string> = Readonly<Record<NoInfer<Name>, string | undefined>>;

/** The value of a flag that the command cannot run without. */
export function requireValue<Name extends string>(flags: Texts<Name>, flag: Name): string {
  const text = flags[flag];
  if (text !== undefined && text !== "") return text;
  throw usageError(`--${flag} is required.`);
}

export function readWholeNumber<Name extends string>(
  flags: Texts<Name>,
  flag: Name,
  min: number,
  max: number,
): number {
  const text = requireValue(flags, flag);
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(`--${flag} must be a whole number from ${min} to ${max}; got "${text}".`);
}

export function readAmount<Name extends string>(flags: Texts<Name>, flag: Name): number {
  const text = requireValue(flags, flag);
  if (/^\d{1,12}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw usageError(
    `--${flag} must be an amount with at most two decimals, such as 100.50; got "${text}".`,
  );
}

const MAX_DAYS = Math.floor(MAX_TIMEOUT_MS / DAY_MS);

/** The milliseconds of a timeout: above 0, and as many as a timer can count. */
export function readTimeout<Name extends string>(flags: Texts<Name>, flag: Name): number {
  const text = requireValue(flags, flag);
  const ms = parseDuration(text) ?? 0;
  if (ms > MAX_TIMEOUT_MS)
    throw usageError(`--${flag} must be at most ${MAX_DAYS}d; got "${text}".`);
  if (ms > 0) return ms;
  throw usageError(`--${flag} ${DURATION_RULE}; got "${text}".`);
}

/** The end of a message about a wrong duration. */
export const DURATION_RULE = `must be a number with a unit (${DURATION_UNITS.join(", ")}), such as 90s`;

/** The URL of a receiver or a sandbox: `http:` or `https:`. */
export const readUrl = <Name extends string>(flags: Texts<Name>, flag: Name): URL =>
  parseUrl(requireValue(flags, flag), `--${flag}`);

/** @param name - What the message calls it: a flag or an argument. */
export function parseUrl(text: string, name: string): URL {
  // A URL parser would encode white space, and the receiver would never be found.
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw usageError(
    `${name} must be an http or https URL, such as http://localhost:3000; got "${text}".`,
  );
}

/** The secret in the file that a flag names; `undefined` if the flag was not given. */
export function readSecretFile<Name extends string>(
  { flags, io }: Input<Texts<Name>>,
  flag: Name,
): string | undefined {
  const path = flags[flag];
  return path === undefined ? undefined : readSecret(io, path);
}

/** The webhook signing secret: of `--secret-file`, of `--secret`, or of the environment variable. */
export function signingSecret(input: Input<SecretFlags>): string {
  const inFile = readSecretFile(input, "secret-file");
  const secret = inFile ?? input.flags.secret ?? input.io.env.MALIPO_WEBHOOK_SECRET;
  if (secret) return secret;
  throw usageError(
    "The webhook signing secret is missing. Set MALIPO_WEBHOOK_SECRET, or give --secret-file. `npx malipo env` prints that of a sandbox.",
  );
}

/** The query parameters of `--query page=2 --query status=paid`. */
export function parseQuery(pairs: readonly string[]): Record<string, string[]> {
  const query: Record<string, string[]> = {};
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw usageError(`--query must be name=value, such as page=2; got "${pair}".`);
    const name = pair.slice(0, at);
    query[name] = [...(query[name] ?? []), pair.slice(at + 1)];
  }
  return query;
}

// A time without an offset would mean another moment on another machine.
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** A moment: a date (in UTC), a time with its offset, or how long ago. */
export function readMoment<Name extends string>(flags: Texts<Name>, flag: Name): Date | undefined {
  const text = flags[flag];
  if (text === undefined) return undefined;
  const agoMs = parseDuration(text);
  const moment = agoMs === undefined ? new Date(text) : new Date(Date.now() - agoMs);
  const isMoment = agoMs !== undefined || MOMENT.test(text);
  if (isMoment && Number.isFinite(moment.getTime())) return moment;
  throw usageError(
    `--${flag} must be a date such as 2026-01-31, a time such as 2026-01-31T09:00:00+03:00, or how long ago, a number with a unit (${DURATION_UNITS.join(", ")}); got "${text}".`,
  );
}
