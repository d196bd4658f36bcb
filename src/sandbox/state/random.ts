/** The state of the sandbox's random sequence: JSON, so that a snapshot can hold it. */
export interface RandomState {
  word: number;
}

const FNV_PRIME = 0x01000193;

/** Starts a sequence: it depends only on the seed (FNV-1a over the seed's UTF-16 units). */
export function seedRandom(seed: string): RandomState {
  let word = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) word = Math.imul(word ^ seed.charCodeAt(at), FNV_PRIME);
  return { word: word >>> 0 };
}

/** The next number of the sequence, from 0 to below 1 (mulberry32: small, and enough for ids). */
export function nextRandom(state: RandomState): number {
  state.word = (state.word + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state.word ^ (state.word >>> 15), state.word | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const UPPERCASE = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789";
const ALPHABETS = {
  /** Digits and capitals without I and O, as on a receipt. */
  receipt: UPPERCASE,
  token: `${UPPERCASE}abcdefghijkmnopqrstuvwxyz`,
  digits: "0123456789",
} as const;

/** A random name: the next ones of the sequence as characters of an alphabet. */
export function nextName(
  state: RandomState,
  alphabet: keyof typeof ALPHABETS,
  length: number,
): string {
  const letters = ALPHABETS[alphabet];
  let name = "";
  while (name.length < length) name += letters[Math.floor(nextRandom(state) * letters.length)];
  return name;
}
