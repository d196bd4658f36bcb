import { isNear } from "../../contract/near-names.ts";
import { usageError } from "../cli-error.ts";

/** `Did you mean "sandbox"?`, or all the words there are. */
export function suggest(typed: string, words: readonly string[]): string {
  const lower = typed.toLowerCase();
  const similar =
    words.find((word) => word.startsWith(lower)) ?? words.find((word) => isNear(lower, word));
  return similar === undefined ? `Use one of: ${words.join(", ")}.` : `Did you mean "${similar}"?`;
}

/**
 * The one with this name.
 *
 * @param unknown - What the message says if there is none.
 * @throws {CliError} `usage`
 */
export function findNamed<One extends { readonly name?: string }>(
  all: readonly One[],
  name: string,
  unknown: string,
): One {
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw usageError(
    `${unknown} ${suggest(
      name,
      all.flatMap((one) => one.name ?? []),
    )}`,
  );
}
