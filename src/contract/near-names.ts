/** A field that the caller gave, and the documented one that it must have meant. */
export interface NearName {
  readonly given: string;
  readonly meant: string;
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, "");

/** Whether two words differ in one place only, by one letter or, in long words, by two. */
function differInOnePlace(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end++;
  return long.length - start - end <= (short.length > 4 ? 2 : 1);
}

/** Longer names may hold something that was pasted into the wrong place. */
const MAX_MORE = 8;

/** Whether a word is a lengthened form of another, or a form shortened by less than half of it. */
const isFormOf = (word: string, known: string): boolean =>
  (word.startsWith(known) && word.length <= known.length + MAX_MORE) ||
  (known.startsWith(word) && word.length * 2 > known.length);

/** Whether a word was probably meant for another one: it is a form of it, or differs in one place. */
export const isNear = (word: string, known: string): boolean =>
  isFormOf(word, known) || differInOnePlace(word, known);

/**
 * Finds fields whose names are wrong by case, by a separator, or by a few letters: the service would
 * drop them. A name that is only similar counts if the documented field is missing: otherwise it may
 * be a field that the service does not document.
 */
export function nearNames(fields: Readonly<Record<string, unknown>>, shape: object): NearName[] {
  const others = Object.keys(fields).filter((name) => !Object.hasOwn(shape, name));
  if (others.length === 0) return [];
  const documented = Object.keys(shape);
  return others.flatMap((given) => {
    if (fields[given] === undefined) return [];
    const word = letters(given);
    const meant = documented.find((name) => {
      const known = letters(name);
      if (known === word) return true;
      return fields[name] === undefined && isNear(word, known);
    });
    return meant === undefined ? [] : [{ given, meant }];
  });
}
