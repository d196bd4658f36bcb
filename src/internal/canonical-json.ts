/** An object or a list of which some fields are written. */
interface OpenObject {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
  readonly isList: boolean;
  at: number;
}

function openObject(value: object): OpenObject {
  const fields = value as OpenObject["fields"];
  const isList = Array.isArray(value);
  const names = Object.keys(fields);
  const written = isList ? names : names.filter((name) => fields[name] !== undefined).sort();
  return { fields, names: written, isList, at: 0 };
}

/**
 * The JSON text of a value of JSON, with the fields of every object in the order of their names:
 * equal values give equal texts. Without recursion: a body of a megabyte may nest deeper than the stack.
 */
export function canonicalJson(value: unknown): string {
  let text = "";
  const open: OpenObject[] = [];
  const write = (one: unknown) => {
    if (typeof one !== "object" || one === null) {
      text += JSON.stringify(one) ?? "null";
      return;
    }
    text += Array.isArray(one) ? "[" : "{";
    open.push(openObject(one));
  };
  write(value);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { fields, names, isList, at } = last;
    const name = names[at];
    if (name === undefined) {
      text += isList ? "]" : "}";
      open.pop();
      continue;
    }
    if (at > 0) text += ",";
    if (!isList) text += `${JSON.stringify(name)}:`;
    last.at++;
    write(fields[name]);
  }
  return text;
}
