/**
 * The edit distance of two words: how many letters must be added, removed, changed or swapped with
 * their neighbour (Damerau-Levenshtein, optimal string alignment).
 */
function editDistance(from: string, to: string): number {
  let previous: number[] = [];
  let current = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const above = current;
    current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      current[column] = Math.min(
        cell(above, column) + 1,
        cell(current, column - 1) + 1,
        cell(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(previous, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    previous = above;
  }
  return cell(current, to.length);
}

const cell = (cells: readonly number[], column: number) => cells[column] as number;

/** The word that was probably meant; `undefined` if no word is similar. */
function findSimilar(typed: string, words: readonly string[]): string | undefined {
  const lower = typed.toLowerCase();
  const completions = words.filter((word) => lower.length > 1 && word.startsWith(lower));
  if (completions.length === 1) return completions[0];
  const [best] = words
    .map((word) => ({ word, distance: editDistance(lower, word) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  const limit = Math.max(1, Math.floor(best.word.length / 3));
  return best.distance <= limit ? best.word : undefined;
}

/** `Did you mean "sandbox"?`, or all the words there are. */
export function suggest(typed: string, words: readonly string[]): string {
  const similar = findSimilar(typed, words);
  return similar === undefined ? `Use one of: ${words.join(", ")}.` : `Did you mean "${similar}"?`;
}
