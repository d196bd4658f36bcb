import type { FlagsOf } from "../../internal/flags.ts";
import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { CALLS } from "../flags/service.ts";
import type { Io } from "../io.ts";
import { readBytes, readFile } from "./files.ts";

/** The request body that `--data` and `--set` make; `undefined` if neither was given. */
export async function bodyFields({
  flags: { data, set },
  io,
}: Input<FlagsOf<typeof CALLS.fields>>): Promise<Record<string, unknown> | undefined> {
  if (data === undefined && set.length === 0) return undefined;
  const fields = data === undefined ? {} : parseObject(await readData(io, data));
  for (const setting of set) setField(fields, setting);
  return fields;
}

async function readData(io: Io, data: string): Promise<string> {
  if (!data.startsWith("@")) return data;
  const path = data.slice(1);
  return (path === "-" ? await readBytes(io, "-") : readFile(io, path)).toString("utf8");
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (value === undefined) {
    throw usageError("--data is not valid JSON. To read a file, use @: --data @invoice.json");
  }
  if (isObject(value)) return value;
  throw usageError('--data must be a JSON object, such as {"amount": 1500}.');
}

type Fields = Record<string, unknown>;

/** An object or an array: `data.items.0` is a path too. */
const hasFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/**
 * Sets a field by its path: `data.amount=100.00`. If the field holds a number, a boolean or
 * another JSON value, the text is read as JSON; otherwise it stays text. `path:=json` always reads
 * JSON.
 *
 * @throws {CliError} `usage` for anything else.
 */
export function setField(fields: Fields, setting: string): void {
  const [, path = "", colon, text = ""] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(setting) ?? [];
  const names = path.split(".");
  if (names.some((name) => name === "" || name === "__proto__")) {
    throw usageError(
      `--set must be path=text or path:=json, such as data.amount=100.00; got "${setting}".`,
    );
  }
  const last = names.pop() ?? "";
  const parent = findParent(fields, names);
  const present = Object.hasOwn(parent, last) ? parent[last] : undefined;
  parent[last] = parseField(present, text, colon === ":", setting);
}

/** The object that holds the field. Objects that are missing on the way are created. */
function findParent(fields: Fields, names: readonly string[]): Fields {
  let parent = fields;
  for (const name of names) {
    const next = Object.hasOwn(parent, name) ? parent[name] : undefined;
    const child = hasFields(next) ? next : {};
    parent[name] = child;
    parent = child;
  }
  return parent;
}

function parseField(present: unknown, text: string, asJson: boolean, setting: string): unknown {
  const isText = present === undefined || present === null || typeof present === "string";
  if (isText && !asJson) return text;
  const value = parseJson(text);
  if (value !== undefined) return value;
  const reason = asJson ? "" : ` The field holds a JSON value (${typeof present}).`;
  throw usageError(
    `--set ${setting}: "${text}" is not valid JSON.${reason} To set text, use path:='"${text}"'.`,
  );
}
