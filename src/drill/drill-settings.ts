import { countryWith } from "../contract/countries.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { ownOptions } from "../internal/check-options.ts";
import { parseDuration } from "../internal/duration.ts";
import { parseJson } from "../internal/json.ts";
import { HOUR_MS } from "../internal/units.ts";
import { checkCountry, internationalDigits, KENYA } from "../phones/phone-number.ts";
import {
  DRILL_FILE,
  NOT_GIVEN,
  SHOP_SETTINGS,
  type ShopSwitch,
  type Untried,
} from "./drill-options.ts";
import { parseRequest, type RequestTemplate, type ShopResponse } from "./request-template.ts";

/** Reads a text out of a response; `undefined` if it is not there. */
export type ReadFromResponse = (response: ShopResponse) => string | undefined;

/** How often the customer got what was ordered: the lines of a file, or a number in a response. */
export type Effects =
  | { readonly file: string }
  | {
      readonly request: RequestTemplate;
      readonly count: (response: ShopResponse) => number | undefined;
    };

/** The value at a JSON pointer. */
const valueAt = (body: string, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .filter((name) => name !== "")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((value, name) => Object(value)[name], parseJson(body));

/** What a customer reads of a page: the data in its scripts repeats the text in many frameworks. */
function withoutScripts(body: string): string {
  const [first = "", ...scripts] = body.split(/<script\b/i);
  // A script without an end takes the rest of the page.
  const rest = scripts.flatMap((script) => script.split(/<\/script>/i).slice(1));
  return first + rest.join("");
}

/** `/id`, `location`, or either with a pattern: `location ~ orders/(.+)`. */
export function parsePlace(text: string): ReadFromResponse {
  const [source = "", pattern = "[\\s\\S]+"] = text.split(/\s~\s/).map((part) => part.trim());
  if (source !== "location" && source !== "body" && !source.startsWith("/")) {
    throw new ConfigurationError(
      `--order-id must be a JSON pointer, location, or body, with a pattern after ~ if needed; got "${text}".`,
    );
  }
  return ({ headers, body }) => {
    const known: Record<string, unknown> = { location: headers.get("location"), body };
    const value = source in known ? known[source] : valueAt(body, source);
    const [whole, part] = new RegExp(pattern).exec(String(value ?? "")) ?? [];
    return part ?? whole;
  };
}

/** `/status=paid|completed`, or a text that the response contains. */
export function parseCheck(text: string): (response: ShopResponse) => boolean {
  const [, pointer, values = ""] = /^(\/[^=]*)=(.*)$/.exec(text) ?? [];
  if (pointer === undefined) {
    const texts = text.split("|");
    return ({ body }) => texts.some((one) => withoutScripts(body).includes(one));
  }
  return ({ body }) => values.split("|").includes(String(valueAt(body, pointer)));
}

/** What the status of a checkout's order means for its customer; `undefined` for any other body. */
function statusOfCheckout(body: string): "paid" | "failed" | "open" | undefined {
  const { status, canPay, attempts } = Object(parseJson(body));
  if (typeof canPay !== "boolean" || !Array.isArray(attempts)) return undefined;
  if (status === "paid") return "paid";
  if (status === "canceled" || status === "expired") return "failed";
  // Open with an attempt: the last one has ended without money. While money waits for a person, it is pending.
  return status === "open" && attempts.length > 0 ? "failed" : "open";
}

/** What a customer reads, by the checks that are given, or as the checkout and most shops name it. */
function parseChecks(raw: RawSettings) {
  const check = (name: "paid" | "failed" | "open", common: string) => {
    const given = raw[name];
    if (given !== undefined && given !== "") return parseCheck(String(given));
    const usual = parseCheck(common);
    return (response: ShopResponse) =>
      (statusOfCheckout(response.body) ?? (usual(response) && name)) === name;
  };
  return {
    paid: check("paid", "/status=paid"),
    failed: check("failed", "/status=failed|canceled|refunded"),
    open: check("open", "/status=pending"),
  };
}

/**
 * A file, or `GET /orders/{id} ~ a text that is counted`, or a pointer: `/count` to a number or a list, `/tickets[]`
 * to a list, `/seat?` to any value, which is there once the customer has it.
 */
export function parseEffects(text: string): Effects {
  if (!/^[A-Z]+\s/.test(text)) return { file: text };
  const [, line = "", place = "/"] = /^(\S+\s+\S+)(?:\s+([/~].*))?$/.exec(text.trim()) ?? [];
  const counted = place.startsWith("~") ? place.slice(1).trim() : undefined;
  const [, pointer = place, kind] = /^(.*?)(\[\]|\?)$/.exec(place) ?? [];
  return {
    request: parseRequest(line, "effects"),
    count: ({ status, body }) => {
      if (status >= 400) return status === 404 ? 0 : undefined;
      if (counted !== undefined) return withoutScripts(body).split(counted).length - 1;
      const value = valueAt(body, pointer);
      if (kind === "?") return [undefined, null, false, ""].some((none) => value === none) ? 0 : 1;
      if (Array.isArray(value)) return value.length;
      return kind === undefined && typeof value === "number" ? value : undefined;
    },
  };
}

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

/** The setting of each switch: a switch that has none does not compile. */
const SWITCHES = {
  "double-click": "doubleClick",
  "part-payments": "partPayments",
} as const satisfies Record<ShopSwitch, string>;

/** The names of the switches of a shop. */
const SHOP_SWITCHES = Object.keys(SWITCHES) as ShopSwitch[];

type Switches = Readonly<Record<(typeof SWITCHES)[ShopSwitch], boolean>>;

/** What a drill knows of a shop, checked and with its defaults. */
export type DrillSettings = ReturnType<typeof parseSettings>;

/** @throws {ConfigurationError} naming the setting that is missing or wrong. */
export function parseSettings(raw: RawSettings) {
  const text = (name: string): string => {
    const option = SHOP_SETTINGS.find((one) => one.name === name);
    const value = raw[name] ?? option?.fallback ?? "";
    if (value !== "") return String(value);
    throw new ConfigurationError(
      `--${name} is required: give the flag, or write it into ${DRILL_FILE} (npx malipo drill --init makes that file, in a terminal).`,
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
  const switches = Object.fromEntries(
    SHOP_SWITCHES.map((name) => [SWITCHES[name], raw[name] === true]),
  ) as Switches;
  return {
    ...switches,
    start: text("start"),
    ready: optional("ready", parseRequest),
    order: parseRequest(text("order"), "order"),
    pay: optional("pay", parseRequest),
    again: optional("again", parseRequest) ?? optional("pay", parseRequest),
    lastPiece: optional("last-piece", parseRequest),
    cancel: optional("cancel", parseRequest),
    refund: optional("refund", parseRequest),
    update: optional("update", parseUpdate),
    orderId: orderId ? [orderId] : ["/id", "location ~ ([^/?#]+)/?$"].map(parsePlace),
    status: parseRequest(text("status"), "status"),
    checks: parseChecks(raw),
    effects: optional("effects", parseEffects),
    webhook: text("webhook"),
    headers: pairs("header", ":"),
    env: pairs("env", "="),
    data: text("data"),
    nightly: optional("nightly", parseRequest),
    quietMs: readDuration(text("quiet"), "quiet"),
    slowMs: readDuration(text("slow"), "slow"),
    ...readPhones(
      text("country"),
      optional("phones", (digits) => digits),
    ),
    without: optional("without", readUntried) ?? [],
    processes: readNumber(text("processes"), "processes", 1, 8),
    workers: readNumber(text("workers"), "workers", 1, 64),
    orders: readNumber(text("orders"), "orders", 0, 100_000),
    seed: text("seed"),
  };
}

function parseUpdate(text: string, name: string): RequestTemplate {
  const request = parseRequest(text, name);
  if (`${request.path} ${request.body}`.includes("{amount}")) return request;
  throw new ConfigurationError(
    `--${name} must have {amount}, the new price of the order, such as PUT /orders/{id} {"amount":{amount}}; got ${JSON.stringify(text)}.`,
  );
}

/** The names of `--without`. */
export function readUntried(text: string): Untried[] {
  const names = text.split(",").map((name) => name.trim());
  const known = Object.keys(NOT_GIVEN) as Untried[];
  if (names.every((name) => known.some((one) => one === name))) return names as Untried[];
  throw new ConfigurationError(
    `--without must be names of ${known.join(", ")}, with commas between; got "${text}".`,
  );
}

/** How numbers of Kenya begin that no person has. */
const NOBODY = "0190";

/** How the numbers of the customers begin, six digits follow, and what they pay with. */
export function readPhones(code: string, given: string | undefined) {
  const country = checkCountry("--country", code.toUpperCase());
  const phones = given ?? (country === KENYA ? NOBODY : "");
  const { currency = "" } = countryWith(country) ?? {};
  if (internationalDigits(`${phones}100000`, country) !== undefined)
    return { country, currency, phones };
  throw new ConfigurationError(
    `--phones must be how phone numbers of the country ${country} begin, without their last six digits, such as 0190 in KE; got "${phones}".`,
  );
}

function readDuration(text: string, name: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= HOUR_MS) return ms;
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
