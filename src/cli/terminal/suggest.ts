/** How many letters have to be added, dropped, changed or swapped to make one word of the other. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const at = (cells: number[], index: number) => cells[index] as number;
      row[j] = Math.min(
        at(above, j) + 1,
        at(row, j - 1) + 1,
        at(above, j - 1) + same,
        swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
  }
  return row.at(-1) as number;
}

/** The word that was probably meant; `undefined` where none is near. */
function nearest(word: string, words: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const begun = words.filter((one) => typed.length > 1 && one.startsWith(typed));
  if (begun.length === 1) return begun[0];
  const [best] = words.map((one) => [distance(typed, one), one] as const).sort(([a], [b]) => a - b);
  if (best === undefined) return undefined;
  const [far, found] = best;
  return far <= Math.max(1, Math.floor(found.length / 3)) ? found : undefined;
}

/** ` Did you mean "…"?`, or what there is. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = nearest(word, words);
  return meant === undefined ? `There are ${words.join(", ")}.` : `Did you mean "${meant}"?`;
}
