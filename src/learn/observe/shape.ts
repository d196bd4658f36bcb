import { isObject } from "../../internal/is-object.ts";
import { childrenOf, fieldPath, itemPath, parentPath, ROOT } from "../../profile/paths.ts";
import type { Counts, FieldShape, KnownName, Shape } from "../../profile/profile-types.ts";
import { numberFormat, textFormat, timestampForm } from "../../profile/vocabulary/formats.ts";
import {
  hasKnownWord,
  isClosedValue,
  isFieldName,
  isKnownName,
  isStatusName,
} from "../../profile/vocabulary/names.ts";
import type { ParsedBody } from "../observed.ts";
import { add } from "./additions.ts";

/** Values of a request that its response may repeat. In memory only, never in a profile. */
type KnownValues = Readonly<Partial<Record<KnownName, unknown>>>;

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
function repeatedNames(value: unknown, known: KnownValues): readonly KnownName[] {
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

/** Three other capitals may be the initials of a customer. */
const CURRENCIES = /* @__PURE__ */ new Set(Intl.supportedValuesOf("currency"));

const MAX_DEPTH = 8;
const MAX_ITEMS = 200;
/** More fields than this at one place are not fields, but keys of a map. */
const MAX_FIELDS = 60;

/** Texts of a body, whole and word by word, in small letters. */
type Texts = ReadonlySet<string>;

const MAX_TEXTS = 5_000;
const MAX_TEXT_LENGTH = 200;
const MAX_TEXT_DEPTH = 10;

/** The texts anywhere in a value. Long ones are left out, because no key is that long. */
export function textsIn(value: unknown): Texts {
  const texts = new Set<string>();
  const collect = (one: unknown, depth: number): void => {
    if (texts.size > MAX_TEXTS || depth > MAX_TEXT_DEPTH) return;
    if (typeof one === "string" && one.length <= MAX_TEXT_LENGTH) {
      const text = one.toLowerCase();
      texts.add(text);
      for (const word of text.split(/[\s,;:/@]/)) texts.add(word);
    } else if (Array.isArray(one)) for (const item of one) collect(item, depth + 1);
    else if (isObject(one)) for (const item of Object.values(one)) collect(item, depth + 1);
  };
  collect(value, 0);
  return texts;
}

/** How the shape of a body is read. */
export interface ShapeOptions {
  /** The count of one observation in this run. */
  readonly one: Counts;
  /** Whether the values of `status`, `event` and `currency` are stored. */
  readonly keepsValues: boolean;
  /** Whether a key is written as `{field}`: in an error, the name of the field that was invalid. */
  readonly isFieldKey?: ((container: string, key: string, value: unknown) => boolean) | undefined;
  /** What the response may repeat. */
  readonly known?: KnownValues | undefined;
  /** Whether the resource in the body has a status that decides about its other fields. */
  readonly hasStates?: boolean | undefined;
  /** The state of the resource, if none of its fields tells it. */
  readonly state?: string | undefined;
  /** Texts of the request: a key that is one of them is a value, not the name of a field. */
  readonly sent?: readonly string[] | undefined;
}

interface BodyShape {
  readonly shape: Shape;
  /** The forms of the timestamps in the body. */
  readonly timestamps: { readonly [form: string]: Counts };
}

interface Target extends ShapeOptions, BodyShape {
  /** Texts of the request and of this body. */
  readonly texts: Texts;
}

/** The shape of a body. Of its values only formats and closed sets are stored. */
export function shapeOf({ kind, value }: ParsedBody, options: ShapeOptions): BodyShape {
  if (kind === "excess") return { shape: {}, timestamps: {} };
  if (kind !== "json")
    return { shape: { [ROOT]: { types: { [kind]: options.one } } }, timestamps: {} };
  const texts = textsIn([value, options.sent]);
  const target = { ...options, shape: {}, timestamps: {}, texts };
  addValue(target, ROOT, "", value, 0);
  return target;
}

function addValue(target: Target, path: string, name: string, value: unknown, depth: number): void {
  const { shape, one, known = {}, state, timestamps } = target;
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const format = formatOf(value);
  const same = repeatedNames(value, known);
  const isStored = target.keepsValues && typeof value === "string" && isClosed(name, value);
  const field: FieldShape = {
    types: { [type]: one },
    ...(format !== undefined && { formats: [format] }),
    ...(isStored && { values: [value] }),
    ...(same.length > 0 && { same }),
    ...(state && { states: { [state]: [format === undefined ? type : `${type} ${format}`] } }),
  };
  add(shape, { [path]: field }, "body");
  if (!Object.hasOwn(shape, path)) return;
  const form = typeof value === "string" ? timestampForm(value) : undefined;
  if (form !== undefined) add(timestamps, { [form]: one });
  if (depth >= MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_ITEMS)) {
      addValue(target, itemPath(path), "", item, depth + 1);
    }
  } else if (isObject(value)) addFields(target, path, name, value, depth);
}

function formatOf(value: unknown): string | undefined {
  if (typeof value === "string") return textFormat(value);
  if (typeof value === "number") return numberFormat(value);
  return typeof value === "boolean" ? String(value) : undefined;
}

/** The status of a resource, in small letters: a word that APIs use. */
function stateOf(value: Record<string, unknown>): string | undefined {
  const [first, ...others] = Object.entries(value).filter(
    ([name, one]) => isStatusName(name) && typeof one === "string" && isClosedValue(one),
  );
  // Beside it, `settlementStatus` is the status of something else.
  const status = others.find(([name]) => /^(?:status|state)$/i.test(name)) ?? first;
  return status && String(status[1]).toLowerCase();
}

/** Only of fields that are one of a few texts. */
function isClosed(name: string, value: string): boolean {
  return isStatusName(name) || name === "event"
    ? isClosedValue(value)
    : name === "currency" && CURRENCIES.has(value);
}

function addFields(
  target: Target,
  path: string,
  container: string,
  value: Record<string, unknown>,
  depth: number,
): void {
  const isMap = looksLikeMap(value);
  const state = target.hasStates ? (stateOf(value) ?? target.state) : target.state;
  const { reference } = value;
  const known = typeof reference === "string" ? { ...target.known, reference } : target.known;
  const added = new Set<string>();
  for (const [key, one] of Object.entries(value).slice(0, MAX_ITEMS)) {
    // A text of the same body, or of the request, is no name: `{ wanjiku: {} }`.
    const isValue = target.texts.has(key.toLowerCase()) && !isKnownName(key);
    const isField = target.isFieldKey?.(container, key, one);
    const isName = !isMap && isFieldName(key) && !isValue && added.size < MAX_FIELDS;
    const name = isField ? "{field}" : isName ? key : "*";
    added.add(name);
    addValue({ ...target, state, known }, fieldPath(path, name), name, one, depth + 1);
  }
}

const MIN_MAP_OF_OBJECTS = 4;
const MIN_MAP_OF_NUMBERS = 8;

/** Whether the keys of an object are not names of fields, but ids: all values have one shape. */
function looksLikeMap(value: Record<string, unknown>): boolean {
  const values = Object.values(value);
  const types = new Set(values.map((one) => (Array.isArray(one) ? "array" : typeof one)));
  if (types.size === 1 && !Object.keys(value).some(hasKnownWord)) return true;
  if (values.length >= MIN_MAP_OF_NUMBERS && types.size === 1 && types.has("number")) return true;
  if (values.length < MIN_MAP_OF_OBJECTS || !values.every(isObject)) return false;
  // `first`, `last`, `next` and `self` are links, which have one shape.
  if (Object.keys(value).every(isKnownName)) return false;
  const [first = "", ...others] = values.map((one) => Object.keys(one).sort().join());
  return first !== "" && others.every((one) => one === first);
}

/** The fields at one place that are too many for fields become `*`, with what is inside them. */
export function collapse(shape: Shape = {}): void {
  const counts = new Map<string, number>();
  for (const path of Object.keys(shape)) {
    const parent = path.endsWith("[]") ? undefined : parentPath(path);
    if (parent !== undefined) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  for (const [parent, count] of counts) {
    if (count <= MAX_FIELDS) continue;
    const to = fieldPath(parent, "*");
    for (const name of childrenOf(shape, parent)) {
      const from = fieldPath(parent, name);
      if (from !== to) moveField(shape as Record<string, FieldShape>, from, to);
    }
  }
}

/** Moves what is at a place and below it. */
function moveField(shape: Record<string, FieldShape>, from: string, to: string): void {
  for (const [path, field] of Object.entries(shape)) {
    const rest = path.startsWith(from) ? path.slice(from.length) : undefined;
    if (rest === undefined || !/^(?:$|\.|\[\])/.test(rest)) continue;
    delete shape[path];
    add(shape, { [to + rest]: field });
  }
}
