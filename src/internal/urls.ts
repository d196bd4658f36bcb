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

/**
 * Is this a host that no public name or address leads to? A name without a dot, as containers have it, a name that ends
 * in `.internal`, `.local` or `.test`, and the addresses of private networks. Takes the `hostname` of a parsed `URL`.
 */
export function isPrivateHost(hostname: string): boolean {
  return (
    /^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}$/.test(hostname) ||
    /^\[f[cd][\da-f]{2}:/.test(hostname) ||
    /^[a-z_][\w-]*(?:(?:\.[\w-]+)*\.(?:internal|local|test))?$/.test(hostname)
  );
}

/** Stands for the server of a page while an address is read. */
const OWN = "https://own.invalid";

/**
 * A path on the server of a page, as a browser reads it: with a backslash for a slash, without tabs and line
 * breaks. `undefined` for every other text, such as `//evil.example` and all that a browser takes for it.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/") || !URL.canParse(text, OWN)) return;
  const { origin, pathname, search, hash } = new URL(text, OWN);
  // `/.//evil.example` is a path of two slashes: read again, it would name a host.
  return origin === OWN && !pathname.startsWith("//") ? pathname + search + hash : undefined;
}

/**
 * An address that a page may link to: `http:` or `https:` with its host, or a path on the server of the page.
 * It is returned as a browser reads it; `undefined` for every other text.
 */
export function linkAddress(text: unknown): string | undefined {
  const isWhole = typeof text === "string" && /^https?:\/\//i.test(text) && URL.canParse(text);
  return isWhole ? new URL(text).href : ownPath(text);
}

/** A header may hold anything, such as a path that would become a part of the URL. */
const HOST = /^[\w.:[\]-]+$/;

/**
 * The URL of a request to a server; `undefined` if there is none. The host is that of the header, whatever the
 * target says: a target that begins with two slashes would be read as another host, and some clients send a
 * whole URL.
 */
export function requestUrl(target: string, host = "localhost"): URL | undefined {
  const { pathname, search } = URL.canParse(target)
    ? new URL(target)
    : { pathname: target, search: "" };
  if (!pathname.startsWith("/") || !HOST.test(host)) return undefined;
  // Joined as texts, for the reason above.
  const url = `http://${host}${pathname}${search}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}
