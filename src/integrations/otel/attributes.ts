/** The conventions for messaging: https://opentelemetry.io/docs/specs/semconv/messaging/ */
export const MESSAGING = { "messaging.system": "malipo" };

/** A short name of an error: never its message, which may quote the data of a customer. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  if (typeof code === "string" && code !== "") return code;
  return typeof name === "string" && name !== "" ? name : "_OTHER";
}
