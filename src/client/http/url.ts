import { invalidParam } from "../invalid-params.ts";

/** What a query may hold. `undefined` is left out, a list is repeated. */
export interface Query {
  readonly [name: string]:
    | string
    | number
    | boolean
    | readonly (string | number | boolean)[]
    | undefined;
}

/**
 * A text as one segment of a path: `/` and `?` are encoded. `undefined` for what no encoding holds back (`.`,
 * `..`, nothing at all), and for half of a surrogate pair, which is no text.
 */
export function pathSegment(text: string): string | undefined {
  if (/^\.{0,2}$/.test(text)) return undefined;
  try {
    return encodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * A path with its parameters filled in. Each stays in its own segment.
 *
 * @throws {InvalidParamsError}
 */
export function fillPath(endpoint: string, template: string, params: readonly unknown[]): string {
  let at = 0;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[at++];
    const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
    const segment = typeof text === "string" ? pathSegment(text) : undefined;
    if (segment !== undefined) return segment;
    throw invalidParam(endpoint, name, 'expected an identifier other than "", "." and ".."');
  });
}

/**
 * A path that a caller wrote, checked: it cannot leave the base URL, whatever a URL parser makes of
 * dots, backslashes and control characters.
 *
 * @throws {InvalidParamsError}
 */
export function checkPath(path: unknown): string {
  const fits =
    typeof path === "string" &&
    /^\/[^\s\\?#\p{Cc}\p{Cs}]*$/u.test(path) &&
    !path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  if (fits) return path;
  throw invalidParam(
    "request",
    "path",
    'expected a path below the base URL that begins with "/", without "..", a query or white space',
  );
}

/** @throws {InvalidParamsError} */
export function queryString(endpoint: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one === undefined) continue;
      if (!["string", "number", "boolean"].includes(typeof one)) {
        throw invalidParam(
          endpoint,
          name,
          "expected a string, a number, a boolean or a list of them",
        );
      }
      search.append(name, String(one));
    }
  }
  return search.size === 0 ? "" : `?${search}`;
}
