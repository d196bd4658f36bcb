/**
 * What a foreign error says: its message, else the value as text. Never throws, and calls no
 * `toString` of an object: it may be made of anything, such as the headers of a request.
 */
export function describeError(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message;
    if (typeof message === "string" && message !== "") return message;
    if (typeof error === "function") return "a function";
    if (error instanceof Error) return typeof error.name === "string" ? error.name : "Error";
    return typeof error === "object" ? Object.prototype.toString.call(error) : String(error);
  } catch {
    return "an error that cannot be read";
  }
}
