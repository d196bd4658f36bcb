/** The parsed text of a body. `text`: it is not JSON. */
export interface ParsedBody {
  readonly kind: "json" | "text" | "empty";
  /** Of JSON. */
  readonly value?: unknown;
}

export function parseBody(text: string): ParsedBody {
  if (text.trim() === "") return { kind: "empty" };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "text" };
  }
}
