import { usage } from "../failure.ts";

type Fields = Record<string, unknown>;

const isContainer = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null;

/** What `--set path=text` puts there: the text, or what it says where something else stood there. */
function valueFor(present: unknown, text: string, asJson: boolean, setting: string): unknown {
  if (!asJson && (present === undefined || present === null || typeof present === "string")) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch {
    const was = asJson ? "" : `, where ${typeof present} stood`;
    throw usage(`--set ${setting}: "${text}" is no JSON${was}. Text wants quotes: '"${text}"'.`);
  }
}

/**
 * Sets a field by its path: `data.amount=100.00`. Text stays text, a number stays a number;
 * `path:=json` sets whatever JSON says.
 */
export function setField(fields: Fields, setting: string): void {
  const [, path = "", colon, text = ""] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(setting) ?? [];
  const names = path.split(".");
  const last = names.pop() ?? "";
  const isOdd = (name: string) => name === "" || name === "__proto__";
  if (isOdd(last) || names.some(isOdd)) {
    throw usage(
      `--set is "${setting}". It takes path=text or path:=json, such as data.amount=100.00.`,
    );
  }
  let at = fields;
  for (const name of names) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined;
    const inner = isContainer(next) ? next : {};
    at[name] = inner;
    at = inner;
  }
  const present = Object.hasOwn(at, last) ? at[last] : undefined;
  at[last] = valueFor(present, text, colon === ":", setting);
}
