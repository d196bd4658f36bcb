import { ConfigurationError } from "../errors/configuration.ts";
import { isObject } from "../internal/is-object.ts";
import { parseRequest, type RequestTemplate, type ShopResponse } from "./request-template.ts";

/** Reads a text out of a response; `undefined` if it is not there. */
export type Place = (response: ShopResponse) => string | undefined;

/** Whether a response says something. */
export type Check = (response: ShopResponse) => boolean;

/** Where it can be counted what the customer got. */
export type Effects =
  | { readonly file: string }
  | { readonly request: RequestTemplate; readonly pointer: string };

/** The value at a JSON pointer. */
function valueAt(body: string, pointer: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const names = pointer.split("/").slice(1);
  for (const name of names.filter((one) => one !== "")) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** `/id`, `location`, or either with a pattern: `location ~ orders/(.+)`. */
export function parsePlace(text: string): Place {
  const [source = "", pattern] = text.split(/\s+~\s+/);
  if (source !== "location" && source !== "body" && !source.startsWith("/")) {
    throw new ConfigurationError(
      `--order-id must be a JSON pointer, location, or body, with a pattern after ~ if needed; got "${text}".`,
    );
  }
  return ({ headers, body }) => {
    const value =
      source === "location"
        ? headers.get("location")
        : source === "body"
          ? body
          : valueAt(body, source);
    if (value === undefined || value === null || value === "") return undefined;
    if (pattern === undefined) return String(value);
    const [whole, part] = new RegExp(pattern).exec(String(value)) ?? [];
    return part ?? whole;
  };
}

/** `/status=paid|completed`, or a text that the response contains. */
export function parseCheck(text: string): Check {
  const [, pointer, values = ""] = /^(\/[^=]*)=(.*)$/.exec(text) ?? [];
  if (pointer === undefined) {
    const texts = text.split("|");
    return ({ body }) => texts.some((one) => body.includes(one));
  }
  return ({ body }) => values.split("|").includes(String(valueAt(body, pointer)));
}

/** A file, or `GET /orders/{id}/shipments /count`. */
export function parseEffects(text: string): Effects {
  if (!/^[A-Z]+\s/.test(text)) return { file: text };
  const [, line = "", pointer = "/"] = /^(\S+\s+\S+)(?:\s+(\/\S*))?$/.exec(text.trim()) ?? [];
  return { request: parseRequest(line, "effects"), pointer };
}

/** How many effects a response lists: a number, or the length of a list. */
export function countEffects({ status, body }: ShopResponse, pointer: string): number | undefined {
  if (status === 404) return 0;
  const value = valueAt(body, pointer);
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : undefined;
}
