import { encodeText, textDecoder } from "./utf8.ts";

/** A response, or the form that a request sends. */
type Message = Pick<Response, "body" | "headers"> & Partial<Pick<Response, "text" | "json">>;

/** The size in the headers, in bytes of the body as it was sent; `undefined` if they do not. */
function contentLength({ headers }: Message): number | undefined {
  // A mock of `fetch` may give a response without headers.
  const value = headers?.get("content-length");
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** Cancels the rest of the body, so that the connection is released. */
function cancel(body: ReadableStream | ReadableStreamDefaultReader): void {
  body.cancel().catch(() => {});
}

async function readStream(body: ReadableStream, maxBytes: number): Promise<string | undefined> {
  const reader = body.getReader();
  const decoder = textDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      cancel(reader);
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function isWithin(text: string, maxBytes: number): boolean {
  // A character takes one to three bytes for each of its units.
  if (text.length * 3 <= maxBytes) return true;
  return text.length <= maxBytes && encodeText(text).length <= maxBytes;
}

/**
 * The text of a body; `undefined` if it has more than `maxBytes` bytes. Such a body is
 * not read to its end, or not at all if its Content-Length is too large.
 *
 * @param keepsLength - Whether the body is no longer than its Content-Length. The runtime's own `fetch` sees to
 * that. A custom one may leave any header over a body, and a page does not see every header.
 */
export async function readBody(
  message: Message,
  maxBytes: number,
  keepsLength = false,
): Promise<string | undefined> {
  const { body, headers } = message;
  const length = contentLength(message);
  // A response to HEAD has a Content-Length and no body.
  const isStream = typeof body?.getReader === "function" && !body.locked;
  if (isStream && length !== undefined && length > maxBytes) {
    cancel(body);
    return undefined;
  }
  // A body may grow when it is decompressed.
  const isKnown = keepsLength && length !== undefined && !headers.has("content-encoding");
  if (isStream && !isKnown) return readStream(body, maxBytes);
  // Of known length, or React Native's, which has no stream and can only be measured after it was read.
  // A mock of `fetch` may have `json` alone.
  const text =
    message.text === undefined ? JSON.stringify(await message.json?.()) : await message.text();
  if (typeof text !== "string") throw new TypeError("The body of the response is not a text.");
  return isWithin(text, maxBytes) ? text : undefined;
}
