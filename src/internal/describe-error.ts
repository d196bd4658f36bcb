/** What a foreign error says: its message, or the value itself as text. Never throws. */
export function describeError(error: unknown): string {
  try {
    const message = (error as { message?: unknown } | null | undefined)?.message;
    return typeof message === "string" && message !== "" ? message : String(error);
  } catch {
    return "an error that cannot be read";
  }
}
