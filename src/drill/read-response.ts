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
  | {
      readonly request: RequestTemplate;
      readonly count: (response: ShopResponse) => number | undefined;
    };

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

/** A file, or `GET /orders/{id} /shipments`, or `GET /orders/{id} ~ a text that is counted`. */
export function parseEffects(text: string): Effects {
  if (!/^[A-Z]+\s/.test(text)) return { file: text };
  const [, line = "", place = "/"] = /^(\S+\s+\S+)(?:\s+([/~].*))?$/.exec(text.trim()) ?? [];
  const [, counted] = /^~\s*(.+)$/.exec(place) ?? [];
  return {
    request: parseRequest(line, "effects"),
    count: ({ status, body }) => {
      if (status >= 400) return status === 404 ? 0 : undefined;
      if (counted !== undefined) return body.split(counted).length - 1;
      const value = valueAt(body, place);
      if (Array.isArray(value)) return value.length;
      return typeof value === "number" ? value : undefined;
    },
  };
}
