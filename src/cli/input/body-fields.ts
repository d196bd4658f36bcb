import type { Input } from "../definitions/types.ts";
import { usage } from "../failure.ts";
import { readBytes, readFile } from "./files.ts";
import { setField } from "./set-fields.ts";

/** The fields that `--data` and `--set` make together; `undefined` where neither was given. */
export async function bodyFields({
  text,
  many,
}: Input): Promise<Record<string, unknown> | undefined> {
  const { data } = text;
  const { set } = many;
  if (data === undefined && set === undefined) return undefined;
  const fields = data === undefined ? {} : objectIn(await source(data));
  for (const setting of set ?? []) setField(fields, setting);
  return fields;
}

async function source(data: string): Promise<string> {
  if (!data.startsWith("@")) return data;
  const path = data.slice(1);
  return (path === "-" ? await readBytes("-") : readFile(path)).toString("utf8");
}

function objectIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage("--data is no JSON. A file is named with an @: --data @invoice.json");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw usage('--data is no JSON object, such as {"amount": 1500}.');
}
