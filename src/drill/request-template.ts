import { ConfigurationError } from "../errors/configuration.ts";

/** A request with placeholders to fill in: `POST /orders {"phone":"{phone}"}`. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

const PLACE = /\{(phone|amount|order|uuid|id|attempts)\}/g;
/** No page of a shop is longer; one that is must not fill the memory. */
const MAX_BODY_BYTES = 2_000_000;

/** @throws {ConfigurationError} */
export function parseRequest(text: string, name: string): RequestTemplate {
  const [, method = "", path = "", body = ""] =
    /^([A-Za-z]+)\s+(\/\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (path !== "") return { method: method.toUpperCase(), path, body };
  throw new ConfigurationError(
    `--${name} must be a method, a path and perhaps a body, such as: POST /orders {"phone":"{phone}"}; got ${JSON.stringify(text)}.`,
  );
}

/** What a customer got from the shop. */
export interface ShopResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Whether a request can be sent only if the id of the order is known. */
export const needsId = ({ path, body }: RequestTemplate): boolean =>
  `${path} ${body}`.includes("{id}");

/** Sends a request to the shop, as a browser of a customer does. Redirects are not followed. */
export async function sendRequest(
  origin: string,
  { method, path, body }: RequestTemplate,
  values: Readonly<Record<string, string | number | undefined>>,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<ShopResponse> {
  const fill = (text: string, encode: (value: string) => string) =>
    text.replace(PLACE, (whole, name: string) => encode(String(values[name] ?? whole)));
  const isJson = /^[{[]/.test(body);
  const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
  const response = await fetch(`${origin}${fill(path, encodeURIComponent)}`, {
    method,
    redirect: "manual",
    // A route that answers both a browser and a script answers the script.
    headers: {
      accept: "application/json, */*",
      ...(body !== "" && { "content-type": type }),
      ...headers,
    },
    ...(body !== "" && { body: fill(body, isJson ? String : encodeURIComponent) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, headers: response.headers, body: await readBody(response) };
}

/** @throws {Error} for a body that is too long. */
async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new Error(`the shop's response has more than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
