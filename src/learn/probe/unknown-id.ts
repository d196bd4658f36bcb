import { textFormat } from "../../profile/vocabulary/formats.ts";

const MAX_INTEGER = 2_147_483_647;
const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const random = (limit: number): number =>
  Math.floor((crypto.getRandomValues(new Uint32Array(1))[0] as number) % limit);

const pick = (alphabet: string) => () => alphabet[random(alphabet.length)] as string;

/** An id of the same kind as one of the service's, which nothing has. */
export function unknownIdLike(id: string | undefined): string {
  if (id === undefined) return "malipo-probe-unknown";
  if (textFormat(id) === "uuid") return crypto.randomUUID();
  // Above every id in use, and within what a database column holds.
  if (/^\d{1,10}$/.test(id)) return String(MAX_INTEGER - 1 - random(1_000));
  const [prefix = ""] = /^[A-Za-z]+[-_]/.exec(id) ?? [];
  const rest = id
    .slice(prefix.length)
    .replace(/\d/g, pick(DIGITS))
    .replace(/[a-z]/g, pick(LETTERS));
  return prefix + rest.replace(/[A-Z]/g, pick(LETTERS.toUpperCase()));
}
