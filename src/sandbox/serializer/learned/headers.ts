import { total } from "../../../profile/counts.ts";
import type { ResponseShape } from "../../../profile/types.ts";
import { madeUpText } from "./placeholder.ts";

/** Headers that belong to the service, not to the server in front of it. */
const OF_SERVICE = /^(?:x-|ratelimit|request-id|trace-id|retry-after$)/;

/** The headers of a response with this shape, beside the content type. */
export function headersLike(
  { seen, headers }: ResponseShape,
  seed: string,
): Record<string, string> {
  const said: Record<string, string> = {};
  for (const [name, shape] of Object.entries(headers)) {
    const isUsual = total(shape.seen) * 2 >= total(seen);
    if (!isUsual || !OF_SERVICE.test(name)) continue;
    said[name] = shape.values?.at(-1) ?? madeUpText(shape.formats?.[0] ?? "token", name, seed);
  }
  return said;
}

/** The content type of a response with this shape. */
export const contentTypeLike = ({ headers }: ResponseShape, fallback: string): string =>
  headers["content-type"]?.values?.[0] ?? fallback;
