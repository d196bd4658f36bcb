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

/**
 * The JSON text of a parsed JSON value, with the fields of every object in the order of their names:
 * equal values give equal texts. It uses no recursion, since a body of a megabyte may nest deeper
 * than the stack.
 */
export function canonicalJson(value: unknown): string {
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
