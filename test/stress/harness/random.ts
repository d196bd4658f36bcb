/** A sequence of random values that depends only on its seed. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A row of a table, by the weights of its rows. */
  weighted<T extends { readonly weight: number }>(table: readonly T[]): T;
}

/** FNV-1a: a number for a text. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

/** Mulberry32: small, quick, and the same everywhere. */
export function createRandom(seed: string): Random {
  let state = hash(seed);
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    weighted: <T extends { readonly weight: number }>(table: readonly T[]) => {
      let left = next() * table.reduce((sum, { weight }) => sum + weight, 0);
      for (const row of table) {
        left -= row.weight;
        if (left < 0) return row;
      }
      return table.at(-1) as T;
    },
  };
}
