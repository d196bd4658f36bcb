/** A text without the slashes at its end. Unlike `/\/+$/`, it takes no longer for many slashes inside. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end--;
  return text.slice(0, end);
}
