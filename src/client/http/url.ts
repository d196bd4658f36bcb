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
 * A path with its parameters filled in. Each stays in its own segment: `/` and `?` are encoded, and
 * what no encoding holds back (`.`, `..`, nothing at all) is rejected.
 *
 * @throws {InvalidParamsError}
 */
export function fillPath(endpoint: string, template: string, params: readonly unknown[]): string {
  let at = 0;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[at++];
    const segment = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
    if (typeof segment === "string" && !/^\.{0,2}$/.test(segment)) {
      try {
        return encodeURIComponent(segment);
      } catch {
        // Half of a surrogate pair: no text at all.
      }
    }
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
