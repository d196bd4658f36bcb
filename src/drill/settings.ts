import { ConfigurationError } from "../errors/configuration.ts";
import { ownOptions } from "../internal/check-options.ts";
import { parseDuration } from "../internal/duration.ts";
import { DRILL_FILE, SHOP_SETTINGS } from "./options.ts";
import { parseCheck, parseEffects, parsePlace } from "./read-response.ts";
import { parseRequest } from "./request-template.ts";

/** The settings as they were written: the value of each option by its name. */
export type RawSettings = Readonly<
  Record<string, string | number | readonly string[] | boolean | undefined>
>;

const TEXT = "a text or a number";
const KINDS: Readonly<Record<string, string>> = {
  boolean: "true or false",
  string: TEXT,
  number: TEXT,
};

/**
 * Reads the content of `malipo.drill.json`.
 *
 * @throws {ConfigurationError} for a field that no drill has, and for a wrong type.
 */
export function readDrillFile(text: string): RawSettings {
  let content: RawSettings;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(`${DRILL_FILE} is not JSON: ${String(cause)}`, { cause });
  }
  const names = SHOP_SETTINGS.map(({ name }) => name);
  const settings = ownOptions(content, names, DRILL_FILE);
  for (const { name, value, repeatable } of SHOP_SETTINGS) {
    const given = settings[name];
    const kind = Array.isArray(given) ? "a list" : KINDS[typeof given];
    const expected = repeatable ? "a list" : KINDS[value === undefined ? "boolean" : "string"];
    if (given === undefined || kind === expected) continue;
    throw new ConfigurationError(
      `${DRILL_FILE}: ${name} must be ${expected}; got ${JSON.stringify(given)}.`,
    );
  }
  return settings;
}

/** What a drill knows of a shop, checked and with its defaults. */
export type DrillSettings = ReturnType<typeof parseSettings>;

/** @throws {ConfigurationError} naming the setting that is missing or wrong. */
export function parseSettings(raw: RawSettings) {
  const text = (name: string): string => {
    const option = SHOP_SETTINGS.find((one) => one.name === name);
    const value = raw[name] ?? option?.fallback ?? "";
    if (value !== "") return String(value);
    throw new ConfigurationError(
      `--${name} is required: give the flag, or write it into ${DRILL_FILE} (malipo drill --init asks for it).`,
    );
  };
  const optional = <T>(name: string, parse: (value: string, name: string) => T): T | undefined =>
    raw[name] === undefined || raw[name] === "" ? undefined : parse(String(raw[name]), name);
  const pairs = (name: string, separator: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      ((raw[name] ?? []) as readonly string[]).map((one) => {
        const at = one.indexOf(separator);
        if (at > 0) return [one.slice(0, at).trim(), one.slice(at + 1).trim()];
        throw new ConfigurationError(`--${name} must be name${separator}value; got "${one}".`);
      }),
    );
  const orderId = optional("order-id", parsePlace);
  return {
    start: text("start"),
    ready: optional("ready", parseRequest),
    order: parseRequest(text("order"), "order"),
    orderId: orderId ? [orderId] : ["/id", "location ~ ([^/?#]+)/?$"].map(parsePlace),
    status: parseRequest(text("status"), "status"),
    checks: {
      paid: parseCheck(text("paid")),
      failed: parseCheck(text("failed")),
      open: parseCheck(text("open")),
    },
    effects: optional("effects", parseEffects),
    webhook: text("webhook"),
    headers: pairs("header", ":"),
    env: pairs("env", "="),
    data: text("data"),
    nightly: optional("nightly", parseRequest),
    quietMs: readDuration(text("quiet"), "quiet"),
    slowMs: readDuration(text("slow"), "slow"),
    doubleClick: raw["double-click"] === true,
    workers: readNumber(text("workers"), "workers", 1, 64),
    orders: readNumber(text("orders"), "orders", 0, 100_000),
    seed: text("seed"),
  };
}

function readDuration(text: string, name: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= 3_600_000) return ms;
  throw new ConfigurationError(
    `--${name} must be a duration of at most 1h, such as 30s; got "${text}".`,
  );
}

/** @throws {ConfigurationError} for anything but a whole number from `min` to `max`. */
export function readNumber(text: string, name: string, min: number, max: number): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new ConfigurationError(
    `--${name} must be a whole number from ${min} to ${max}; got "${text}".`,
  );
}
