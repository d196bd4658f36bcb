// Ids are long: SHA-256 in hexadecimal, and two of them for a conflict. A unique beginning is enough, as
// in git.

const SHORTEST = 7;

const shortened = (id: string, length: number) =>
  id
    .split("-")
    .map((part) => part.slice(0, length))
    .join("-");

/** The shortest beginnings, of one length, by which the ids differ. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const longest = Math.max(0, ...ids.map((id) => id.length));
  let length = SHORTEST;
  while (length < longest && new Set(ids.map((id) => shortened(id, length))).size < ids.length) {
    length++;
  }
  return (id) => shortened(id, length);
}

/** Whether a text is the beginning of an id: of both parts, for a conflict. */
export function isBeginningOf(id: string, text: string): boolean {
  const [parts, given] = [id.split("-"), text.split("-")];
  return text !== "" && given.every((part, index) => parts[index]?.startsWith(part));
}
