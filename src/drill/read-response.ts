import { ConfigurationError } from "../errors/configuration.ts";
import { parseJson } from "../internal/json.ts";
import { parseRequest, type RequestTemplate, type ShopResponse } from "./request-template.ts";

/** Reads a text out of a response; `undefined` if it is not there. */
export type Place = (response: ShopResponse) => string | undefined;

/** How often the customer got what was ordered: the lines of a file, or a number in a response. */
export type Effects =
  | { readonly file: string }
  | {
      readonly request: RequestTemplate;
      readonly count: (response: ShopResponse) => number | undefined;
    };

/** The value at a JSON pointer. */
const valueAt = (body: string, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .filter((name) => name !== "")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((value, name) => Object(value)[name], parseJson(body));

/** What a customer reads of a page: the data in its scripts repeats the text in many frameworks. */
function withoutScripts(body: string): string {
  const [first = "", ...scripts] = body.split(/<script\b/i);
  // A script without an end takes the rest of the page.
  const rest = scripts.flatMap((script) => script.split(/<\/script>/i).slice(1));
  return first + rest.join("");
}

/** `/id`, `location`, or either with a pattern: `location ~ orders/(.+)`. */
export function parsePlace(text: string): Place {
  const [source = "", pattern = "[\\s\\S]+"] = text.split(/\s~\s/).map((part) => part.trim());
  if (source !== "location" && source !== "body" && !source.startsWith("/")) {
    throw new ConfigurationError(
      `--order-id must be a JSON pointer, location, or body, with a pattern after ~ if needed; got "${text}".`,
    );
  }
  return ({ headers, body }) => {
    const known: Record<string, unknown> = { location: headers.get("location"), body };
    const value = source in known ? known[source] : valueAt(body, source);
    const [whole, part] = new RegExp(pattern).exec(String(value ?? "")) ?? [];
    return part ?? whole;
  };
}

/** `/status=paid|completed`, or a text that the response contains. */
export function parseCheck(text: string): (response: ShopResponse) => boolean {
  const [, pointer, values = ""] = /^(\/[^=]*)=(.*)$/.exec(text) ?? [];
  if (pointer === undefined) {
    const texts = text.split("|");
    return ({ body }) => texts.some((one) => withoutScripts(body).includes(one));
  }
  return ({ body }) => values.split("|").includes(String(valueAt(body, pointer)));
}

/** A file, or `GET /orders/{id} /shipments`, or `GET /orders/{id} ~ a text that is counted`. */
export function parseEffects(text: string): Effects {
  if (!/^[A-Z]+\s/.test(text)) return { file: text };
  const [, line = "", place = "/"] = /^(\S+\s+\S+)(?:\s+([/~].*))?$/.exec(text.trim()) ?? [];
  const counted = place.startsWith("~") ? place.slice(1).trim() : undefined;
  return {
    request: parseRequest(line, "effects"),
    count: ({ status, body }) => {
      if (status >= 400) return status === 404 ? 0 : undefined;
      if (counted !== undefined) return withoutScripts(body).split(counted).length - 1;
      const value = valueAt(body, place);
      if (Array.isArray(value)) return value.length;
      return typeof value === "number" ? value : undefined;
    },
  };
}
