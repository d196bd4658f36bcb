import { total } from "../../../profile/counts.ts";
import type { ResponseShape } from "../../../profile/types.ts";
import { placeholderText } from "./placeholder.ts";

/** Headers that belong to the service, not to the server in front of it. */
const OF_SERVICE =
  /^(?:x-|ratelimit|(?:\w+-)*(?:request|trace|debug)-id|(?:retry-after|location|www-authenticate|allow)$)/;

/** Headers with a syntax that a client reads. */
const FIXED: Readonly<Record<string, string>> = {
  location: "/",
  "www-authenticate": 'Bearer realm="sandbox"',
};

/** The headers of a response with this shape, beside the content type. */
export function headersLike(
  { seen, headers }: ResponseShape,
  seed: string,
): Record<string, string> {
  const usual = Object.entries(headers).filter(
    ([name, shape]) => total(shape.seen) * 2 >= total(seen) && OF_SERVICE.test(name),
  );
  return Object.fromEntries(
    usual.map(([name, { values, formats }]) => [
      name,
      FIXED[name] ?? values?.at(-1) ?? placeholderText(formats?.[0] ?? "token", name, seed),
    ]),
  );
}

/** The content type of a response with this shape. */
export const contentTypeLike = ({ headers }: ResponseShape, fallback: string): string =>
  headers["content-type"]?.values?.[0] ?? fallback;
