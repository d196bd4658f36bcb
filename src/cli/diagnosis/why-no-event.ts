const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where bytes stop being UTF-8. */
function badByteIn(body: Buffer): number {
  let at = 0;
  // Of valid bytes, as many come back as went in; the first replacement tells where that ends.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  for (const letter of text) {
    const bytes = Buffer.from(letter);
    if (!bytes.equals(body.subarray(at, at + bytes.length))) break;
    at += bytes.length;
  }
  return at;
}

/** Why a body that is signed properly is no event. */
export function whyNoEvent(body: Buffer): string {
  if (body.length === 0) return "The body is empty: was it read before?";
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    const at = badByteIn(body);
    const byte = body.subarray(at, at + 1).toString("hex");
    return `The body is not UTF-8: its byte ${at} (0x${byte}) cannot stand there. The signature is taken over the bytes, and is genuine.`;
  }
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return "The body is no JSON.";
  }
  if (!isObject(event)) return "The body is JSON, but no object.";
  if (typeof event.event !== "string") return "`event` is no string: it should name the kind.";
  if (!isObject(event.data)) return "`data` is no object.";
  return "`timestamp` is no ISO 8601 time with an offset, and --max-age needs one.";
}
