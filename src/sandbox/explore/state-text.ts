/**
 * A value as text: equal values give equal texts. The order of fields and of the entries of a Map or a
 * Set makes no difference, nor does a field that is `undefined`. The order of an array does.
 */
export function stateText(value: unknown, inside: readonly object[] = []): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return String(value);
  if (inside.includes(value)) return "[itself]";
  const show = (one: unknown) => stateText(one, [...inside, value]);
  const listed = (texts: Iterable<string>) => [...texts].join(", ");
  if (value instanceof Date) return Number.isNaN(+value) ? "no date" : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value)) return `[${listed(value.map(show))}]`;
  if (ArrayBuffer.isView(value)) return `bytes ${listed(bytesOf(value).map(String))}`;
  if (value instanceof Set) return `Set {${listed([...value].map(show).sort())}}`;
  if (value instanceof Map) {
    return `Map {${listed([...value].map(([key, one]) => `${show(key)}: ${show(one)}`).sort())}}`;
  }
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${listed(fields.map(([name, one]) => `${name}: ${show(one)}`).sort())}}`;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => [
  ...new Uint8Array(buffer, byteOffset, byteLength),
];
