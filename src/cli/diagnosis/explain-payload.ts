import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";

export const EMPTY_BODY = "The body is empty. It may have been read before it was verified.";

/** Why a body with a genuine signature is not a valid event. */
export function explainPayload(body: Buffer): string {
  if (body.length === 0) return EMPTY_BODY;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    const position = findInvalidByte(body);
    const byte = body.subarray(position, position + 1).toString("hex");
    return `The body is not valid UTF-8: byte ${position} (0x${byte}) is invalid. The signature is genuine: it covers the bytes.`;
  }
  const event = parseJson(text);
  if (event === undefined) return "The body is not valid JSON.";
  if (!isObject(event)) return "The body is JSON, but not an object.";
  if (typeof event.event !== "string") return "`event` is not a string with the name of the event.";
  if (!isObject(event.data)) return "`data` is not an object.";
  return "`timestamp` is not an ISO 8601 time with an offset. --max-age needs one.";
}

/** The position of the first byte that is not valid UTF-8. */
function findInvalidByte(body: Buffer): number {
  let position = 0;
  // A valid character encodes to the bytes it came from. An invalid byte is decoded as a
  // replacement character, which encodes to other bytes.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  for (const character of text) {
    const bytes = Buffer.from(character);
    if (!bytes.equals(body.subarray(position, position + bytes.length))) break;
    position += bytes.length;
  }
  return position;
}
