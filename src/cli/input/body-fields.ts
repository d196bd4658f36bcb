import { isObject } from "../../internal/is-object.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { readBytes, readFile } from "./files.ts";
import { setField } from "./set-field.ts";

/** The request body that `--data` and `--set` make; `undefined` if neither was given. */
export async function bodyFields({
  values: { data },
  repeated: { set },
}: Input): Promise<Record<string, unknown> | undefined> {
  if (data === undefined && set === undefined) return undefined;
  const fields = data === undefined ? {} : parseObject(await readData(data));
  for (const setting of set ?? []) setField(fields, setting);
  return fields;
}

async function readData(data: string): Promise<string> {
  if (!data.startsWith("@")) return data;
  const path = data.slice(1);
  return (path === "-" ? await readBytes("-") : readFile(path)).toString("utf8");
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError("--data is not valid JSON. To read a file, use @: --data @invoice.json");
  }
  if (isObject(value)) return value;
  throw usageError('--data must be a JSON object, such as {"amount": 1500}.');
}

/** @throws {CliError} `usage` if neither `--data` nor `--set` was given. */
export function requireFields(
  fields: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (fields !== undefined) return fields;
  throw usageError("The fields are missing. Give --set name=value, or --data with a JSON object.");
}
