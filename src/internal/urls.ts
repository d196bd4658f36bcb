/** A text without the slashes at its end. Unlike `/\/+$/`, it takes no longer for many slashes inside. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end--;
  return text.slice(0, end);
}

/**
 * Is this the host of a URL on this machine? `localhost`, `*.localhost`, `127.0.0.0/8`, `[::1]`.
 * Takes the `hostname` of a parsed `URL`, which writes each address in one way.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
