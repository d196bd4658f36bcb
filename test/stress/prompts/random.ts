/** A sequence of draws that its seed alone decides. */
export interface Draws {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number; both ends are possible. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A row of a table whose rows say how often they come. */
  row<T extends { readonly weight: number }>(table: readonly T[]): T;
}

/** FNV-1a: a number for a text. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

/** Mulberry32: small, quick, and the same everywhere. */
export function drawsOf(seed: string): Draws {
  let state = hash(seed);
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    row: <T extends { readonly weight: number }>(table: readonly T[]) => {
      let left = next() * table.reduce((sum, { weight }) => sum + weight, 0);
      for (const row of table) {
        left -= row.weight;
        if (left < 0) return row;
      }
      return table.at(-1) as T;
    },
  };
}
