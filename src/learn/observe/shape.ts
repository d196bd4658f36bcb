import { isObject } from "../../internal/is-object.ts";
import { fieldPath, itemPath, ROOT } from "../../profile/paths.ts";
import type { FieldShape, Shape } from "../../profile/types.ts";
import { isClosedValue, isCurrency } from "../../profile/vocabulary/closed-values.ts";
import { numberFormat, textFormat, timestampForm } from "../../profile/vocabulary/formats.ts";
import { hasKnownWord, isFieldName, isKnownName } from "../../profile/vocabulary/names.ts";
import { addTo, at, countAt, type Draft, type DraftCounts } from "./draft.ts";
import { type KnownValues, repeatedNames } from "./repeated.ts";
import { type Texts, textsIn } from "./texts.ts";

type DraftShape = Draft<Shape>;

const MAX_DEPTH = 8;
const MAX_ITEMS = 200;
const MAX_PATHS = 600;
const MAX_FORMATS = 12;
const MAX_VALUES = 30;
/** More fields than this at one place are not fields, but keys of a map. */
const MAX_FIELDS = 60;

/** What a body is recorded into. */
export interface ShapeTarget {
  readonly shape: DraftShape;
  readonly run: string;
  /** Counts the forms of timestamps. */
  readonly timestamps: { [form: string]: DraftCounts };
  /** Whether the values of `status`, `event` and `currency` are stored. */
  readonly keepsValues: boolean;
  /** Whether a key is written as `{field}`: in an error, the name of the field that was invalid. */
  readonly isFieldKey?: ((container: string, key: string, value: unknown) => boolean) | undefined;
  /** What the response may repeat. */
  readonly known?: KnownValues | undefined;
  /** Whether the resource in the body has a status that decides about its other fields. */
  readonly hasStates?: boolean | undefined;
  /** Texts of the request: a key that is one of them is a value, not the name of a field. */
  readonly sent?: readonly string[] | undefined;
}

interface BodyTarget extends ShapeTarget {
  /** The status of the nearest resource, if its other fields depend on it. */
  readonly state?: string | undefined;
  /** Texts of the request and of this body. */
  readonly texts: Texts;
}

/** The parsed text of a body. `text`: it is not JSON. */
export type ParsedBody =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text" | "empty" };

export function parseBody(text: string): ParsedBody {
  if (text.trim() === "") return { kind: "empty" };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "text" };
  }
}

/** Adds the shape of a body. Of its values only formats and closed sets are stored. */
export function addBody(target: ShapeTarget, body: ParsedBody): void {
  if (body.kind === "json") {
    const texts = textsIn([body.value, target.sent]);
    addValue({ ...target, texts }, ROOT, "", body.value, 0);
  } else addType(target, ROOT, body.kind);
}

function addType(
  { shape, run }: ShapeTarget,
  path: string,
  type: string,
): Draft<FieldShape> | undefined {
  if (!Object.hasOwn(shape, path) && Object.keys(shape).length >= MAX_PATHS) return undefined;
  const field = at<Draft<FieldShape>>(shape, path, () => ({ types: {} }));
  countAt(field.types, type, run);
  return field;
}

function addValue(
  target: BodyTarget,
  path: string,
  name: string,
  value: unknown,
  depth: number,
): void {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const field = addType(target, path, type);
  if (field === undefined) return;
  const format = formatOf(value);
  if (format !== undefined) addFormat(field, format);
  if (typeof value === "string") addText(target, field, name, value);
  for (const one of repeatedNames(value, target.known ?? {})) {
    field.same = addTo(field.same ?? [], one, MAX_VALUES);
  }
  addState(target, field, format === undefined ? type : `${type} ${format}`);
  if (depth >= MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_ITEMS)) {
      addValue(target, itemPath(path), "", item, depth + 1);
    }
  } else if (isObject(value)) addFields(target, path, name, value, depth);
}

function addText(
  { run, timestamps, keepsValues }: ShapeTarget,
  field: Draft<FieldShape>,
  name: string,
  value: string,
): void {
  const format = textFormat(value);
  const form = format === "iso8601" || format === "datetime" ? timestampForm(value) : undefined;
  if (form !== undefined) countAt(timestamps, form, run);
  if (keepsValues && isClosed(name, value)) {
    field.values = addTo(field.values ?? [], value, MAX_VALUES);
  }
}

function formatOf(value: unknown): string | undefined {
  if (typeof value === "string") return textFormat(value);
  if (typeof value === "number") return numberFormat(value);
  return typeof value === "boolean" ? String(value) : undefined;
}

const STATUS_NAME = /status$|state$/i;
const MAX_STATES = 12;

/** The status of a resource, in small letters: a word that APIs use. */
function stateOf(value: Record<string, unknown>): string | undefined {
  const status = Object.entries(value).find(
    ([name, one]) => STATUS_NAME.test(name) && typeof one === "string" && isClosedValue(one),
  );
  return status && String(status[1]).toLowerCase();
}

function addState({ state }: BodyTarget, field: Draft<FieldShape>, kind: string): void {
  if (state === undefined) return;
  field.states ??= {};
  if (!Object.hasOwn(field.states, state) && Object.keys(field.states).length >= MAX_STATES) return;
  const kinds = at<string[]>(field.states as Record<string, string[]>, state, () => []);
  addTo(kinds, kind, MAX_FORMATS);
}

function addFormat(field: Draft<FieldShape>, format: string): void {
  field.formats = addTo(field.formats ?? [], format, MAX_FORMATS);
}

/** Only of fields that are one of a few texts. */
function isClosed(name: string, value: string): boolean {
  return STATUS_NAME.test(name) || name === "event"
    ? isClosedValue(value)
    : name === "currency" && isCurrency(value);
}

function addFields(
  target: BodyTarget,
  path: string,
  container: string,
  value: Record<string, unknown>,
  depth: number,
): void {
  const isMap = looksLikeMap(value);
  const state = target.hasStates ? (stateOf(value) ?? target.state) : undefined;
  const { reference } = value;
  const known = typeof reference === "string" ? { ...target.known, reference } : target.known;
  const inner = { ...target, state, known };
  const added = new Set<string>();
  for (const [key, one] of Object.entries(value).slice(0, MAX_ITEMS)) {
    const name = target.isFieldKey?.(container, key, one)
      ? "{field}"
      : isMap || !isFieldName(key) || isValue(target, key)
        ? "*"
        : key;
    const known = fieldPath(path, name) in target.shape;
    const isTooMany = !known && added.size >= MAX_FIELDS;
    added.add(name);
    addValue(
      inner,
      fieldPath(path, isTooMany ? "*" : name),
      isTooMany ? "*" : name,
      one,
      depth + 1,
    );
  }
  if (added.size > 0) collapse(target.shape, path);
}

/** Whether a key is a text of the same body, or of the request, and so no name: `{ wanjiku: {} }`. */
const isValue = ({ texts }: BodyTarget, key: string): boolean =>
  texts.has(key.toLowerCase()) && !isKnownName(key);

const MIN_MAP_OF_OBJECTS = 4;
const MIN_MAP_OF_NUMBERS = 8;

/** Whether the keys of an object are not names of fields, but ids: all values have one shape. */
function looksLikeMap(value: Record<string, unknown>): boolean {
  const values = Object.values(value);
  const isAlike =
    new Set(values.map((one) => (Array.isArray(one) ? "array" : typeof one))).size === 1;
  if (isAlike && !Object.keys(value).some(hasKnownWord)) return true;
  if (values.length >= MIN_MAP_OF_NUMBERS && values.every((one) => typeof one === "number"))
    return true;
  if (values.length < MIN_MAP_OF_OBJECTS || !values.every(isObject)) return false;
  // `first`, `last`, `next` and `self` are links, which have one shape.
  if (Object.keys(value).every(isKnownName)) return false;
  const keys = (one: unknown) =>
    Object.keys(one as object)
      .sort()
      .join();
  const first = keys(values[0]);
  return first !== "" && values.every((one) => keys(one) === first);
}

/** The fields at one place that are too many for fields become `*`, with what is inside them. */
function collapse(shape: DraftShape, path: string): void {
  const prefix = path === ROOT ? "" : `${path}.`;
  const names = new Set<string>();
  for (const one of Object.keys(shape)) {
    if (one === ROOT || !one.startsWith(prefix)) continue;
    const [name = ""] = one.slice(prefix.length).split(/\.|\[\]/, 1);
    if (name !== "" && name !== "*") names.add(name);
  }
  if (names.size <= MAX_FIELDS) return;
  for (const one of Object.keys(shape)) {
    const rest = one.startsWith(prefix) && one !== ROOT ? one.slice(prefix.length) : "";
    const [name = ""] = rest.split(/\.|\[\]/, 1);
    if (!names.has(name)) continue;
    moveField(shape, one, `${prefix}*${rest.slice(name.length)}`);
  }
}

function moveField(shape: DraftShape, from: string, to: string): void {
  const field = shape[from] as Draft<FieldShape>;
  const merged = at<Draft<FieldShape>>(shape, to, () => ({ types: {} }));
  for (const [type, counts] of Object.entries(field.types)) {
    const sum = at<DraftCounts>(merged.types, type, () => ({}));
    for (const [run, one] of Object.entries(counts)) sum[run] = (sum[run] ?? 0) + one;
  }
  for (const format of field.formats ?? []) addFormat(merged, format);
  delete shape[from];
}
