/** Every format that a shape may name. `digits1` to `digits20` and `hex16` to `hex128` are beside it. */
const FORMATS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["empty", /^$/],
  ["datetime", /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/],
  ["iso8601", /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/],
  ["date", /^\d{4}-\d\d-\d\d$/],
  ["uuid", /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i],
  ["decimal2", /^-?\d+\.\d\d$/],
  ["decimal", /^-?\d+\.\d+$/],
  ["url", /^https?:\/\/\S+$/i],
  ["email", /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/],
  ["token", /^[\w.:-]+$/],
  ["text", /^/],
];

/** The format of a text. The longest that is looked at has 512 characters. */
export function textFormat(value: string): string {
  if (value.length > 512) return "text";
  if (/^\d+$/.test(value)) return value.length <= 20 ? `digits${value.length}` : "digits";
  if (/^[\da-f]{16,128}$/i.test(value)) return `hex${value.length}`;
  return FORMATS.find(([, pattern]) => pattern.test(value))?.[0] as string;
}

/** Whether one of the formats is that of a time or of a day. */
export const hasTimeFormat = (formats: readonly string[]): boolean =>
  formats.some((one) => one === "iso8601" || one === "datetime" || one === "date");

export const numberFormat = (value: number): string =>
  Number.isInteger(value) ? "integer" : "decimal";

export const isFormat = (name: string): boolean =>
  ["integer", "true", "false"].includes(name) ||
  /^(?:digits(?:[1-9]|1\d|20)?|hex(?:1[6-9]|[2-9]\d|1[01]\d|12[0-8]))$/.test(name) ||
  FORMATS.some(([one]) => one === name);

const TIMESTAMP =
  /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d(?:(:)\d\d(?:([.,])(\d{1,9}))?)?(Z|[+-](?:0\d|1[0-4])(?::?(?:00|15|30|45))?)?$/;

/** `YYYY-MM-DDTHH:mm:ss.SSS+03:00`: the form of a timestamp, with its offset. `undefined`: it is none. */
export function timestampForm(value: string): string | undefined {
  const match = value.length > 40 ? null : TIMESTAMP.exec(value);
  if (match === null) return undefined;
  const [, separator, seconds = "", point = "", fraction = "", offset = ""] = match;
  const time = `HH:mm${seconds && ":ss"}${point}${"S".repeat(fraction.length)}`;
  return `YYYY-MM-DD${separator}${time}${offset}`;
}

export const isTimestampForm = (form: string): boolean =>
  /^YYYY-MM-DD[T ]HH:mm(?::ss(?:[.,]S{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/.test(form);
