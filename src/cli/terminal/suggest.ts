import { isNear } from "../../contract/near-names.ts";

/** `Did you mean "sandbox"?`, or all the words there are. */
export function suggest(typed: string, words: readonly string[]): string {
  const lower = typed.toLowerCase();
  const similar =
    words.find((word) => word.startsWith(lower)) ?? words.find((word) => isNear(lower, word));
  return similar === undefined ? `Use one of: ${words.join(", ")}.` : `Did you mean "${similar}"?`;
}
