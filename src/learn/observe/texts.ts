import { isObject } from "../../internal/is-object.ts";

/** Texts of a body, whole and word by word, in small letters. */
export type Texts = ReadonlySet<string>;

const MAX_TEXTS = 5_000;
const MAX_LENGTH = 200;
const MAX_DEPTH = 10;

/** The texts anywhere in a value. Long ones are left out, because no key is that long. */
export function textsIn(value: unknown): Texts {
  const texts = new Set<string>();
  const collect = (one: unknown, depth: number): void => {
    if (texts.size > MAX_TEXTS || depth > MAX_DEPTH) return;
    if (typeof one === "string" && one.length <= MAX_LENGTH) {
      const text = one.toLowerCase();
      texts.add(text);
      for (const word of text.split(/[\s,;:/@]/)) texts.add(word);
    } else if (Array.isArray(one)) for (const item of one) collect(item, depth + 1);
    else if (isObject(one)) for (const item of Object.values(one)) collect(item, depth + 1);
  };
  collect(value, 0);
  return texts;
}
