/** What is left to write: finished text, or a value. */
type Part = { readonly text: string } | { readonly value: unknown };

/** A list with commas between its entries. */
function withCommas(entries: readonly (readonly Part[])[]): Part[] {
  return entries.flatMap((entry, index) => (index === 0 ? entry : [{ text: "," }, ...entry]));
}

function partsOf(value: object): Part[] {
  if (Array.isArray(value)) {
    const items = value.map((item): Part[] => [{ value: item === undefined ? null : item }]);
    return [{ text: "[" }, ...withCommas(items), { text: "]" }];
  }
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]): Part[] => [{ text: `${JSON.stringify(name)}:` }, { value: field }]);
  return [{ text: "{" }, ...withCommas(fields), { text: "}" }];
}

/** Without recursion. */
function writeDeep(value: unknown): string {
  const texts: string[] = [];
  const parts: Part[] = [{ value }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if ("text" in part) texts.push(part.text);
    else if (typeof part.value === "object" && part.value !== null) {
      for (const inner of partsOf(part.value).reverse()) parts.push(inner);
    } else texts.push(JSON.stringify(part.value));
  }
  return texts.join("");
}

const NEEDS_ESCAPES = /["\\\p{Cc}\p{Surrogate}]/u;

// Most texts need no escapes, and then this is quicker.
const quoted = (text: string): string =>
  NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;

const MAX_RECURSION = 100;

/** By recursion, which is much quicker than without it. */
function write(value: unknown, depth: number): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (depth === MAX_RECURSION) return writeDeep(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item === undefined ? null : item, depth + 1));
    return `[${items.join(",")}]`;
  }
  let fields = "";
  for (const name of Object.keys(value).sort()) {
    const field: unknown = value[name as keyof typeof value];
    if (field === undefined) continue;
    fields += `${fields === "" ? "" : ","}${quoted(name)}:${write(field, depth + 1)}`;
  }
  return `{${fields}}`;
}

/**
 * The JSON text of a parsed JSON value, with the fields of every object in the order of their names:
 * equal values give equal texts. A body of a megabyte may nest deeper than the stack: it is written too.
 */
export const canonicalJson = (value: unknown): string => write(value, 0);
