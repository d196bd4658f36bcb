/** Everything that is known of a format. */
interface Format {
  readonly pattern: RegExp;
  /** A text that may stand in the place of any other of the format. */
  readonly example?: string;
  /** What JSON Schema calls it. */
  readonly schema?: Readonly<Record<string, string>>;
}

const DAY = "\\d{4}-\\d\\d-\\d\\d";
const TIME = "\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[+-]\\d\\d(?::?\\d\\d)?)?";

/** Every format that a shape may name. `digits1` to `digits20` and `hex16` to `hex128` are beside it. */
// biome-ignore format: one line for each row
export const FORMATS: Readonly<Record<string, Format>> = {
  empty: { pattern: /^$/, example: "" },
  datetime: { pattern: new RegExp(`^${DAY} ${TIME}$`), example: "2026-01-01 09:00:00" },
  iso8601: { pattern: new RegExp(`^${DAY}T${TIME}$`), example: "2026-01-01T09:00:00+03:00", schema: { format: "date-time" } },
  date: { pattern: new RegExp(`^${DAY}$`), example: "2026-01-01", schema: { format: "date" } },
  uuid: { pattern: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i, schema: { format: "uuid" } },
  decimal2: { pattern: /^-?\d+\.\d\d$/, example: "10.00", schema: { pattern: "^-?\\d+\\.\\d{2}$" } },
  decimal: { pattern: /^-?\d+\.\d+$/, example: "10.5", schema: { pattern: "^-?\\d+\\.\\d+$" } },
  url: { pattern: /^https?:\/\/\S+$/i, schema: { format: "uri" } },
  email: { pattern: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, example: "someone@sandbox.malipo.test", schema: { format: "email" } },
  token: { pattern: /^[\w.:-]+$/ },
  text: { pattern: /^/ },
};

const NAMES = Object.keys(FORMATS);

/** The format of a text. The longest that is looked at has 512 characters. */
export function textFormat(value: string): string {
  if (value.length > 512) return "text";
  if (/^\d+$/.test(value)) return value.length <= 20 ? `digits${value.length}` : "digits";
  if (/^[\da-f]{16,128}$/i.test(value)) return `hex${value.length}`;
  return NAMES.find((name) => FORMATS[name]?.pattern.test(value)) as string;
}

/** Whether one of the formats is that of a time or of a day. */
export const hasTimeFormat = (formats: readonly string[]): boolean =>
  formats.some((one) => one === "iso8601" || one === "datetime" || one === "date");

export const numberFormat = (value: number): string =>
  Number.isInteger(value) ? "integer" : "decimal";

export const isFormat = (name: string): boolean =>
  Object.hasOwn(FORMATS, name) ||
  ["integer", "true", "false"].includes(name) ||
  /^(?:digits(?:[1-9]|1\d|20)?|hex(?:1[6-9]|[2-9]\d|1[01]\d|12[0-8]))$/.test(name);

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
