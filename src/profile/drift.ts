import { bodyShape } from "./body-shape.ts";
import { compareShapes, DRIFT } from "./compare-shapes.ts";
import type { ServiceProfile } from "./types.ts";

/** A place at which a response differs from what was learned. */
export interface ProfileDrift {
  /** `data.amount`; `status code` for the status of the response. */
  readonly path: string;
  /** What was learned, such as `string or null`. */
  readonly expected: string;
  /** What was received: a type, `nothing`, or a status in quotes. */
  readonly received: string;
}

/** A received text is shown only if it is a word, as statuses are. */
const shown = (text: string): string =>
  text.startsWith('"') && !/^"[a-z_.]{1,40}"$/.test(text) ? "string" : text;

/**
 * Finds what differs in a response from what was learned of its endpoint: a field that was always there
 * is missing, a type or a status was never seen. A new field is not a difference.
 */
export function findProfileDrift(
  profile: ServiceProfile,
  endpoint: string,
  status: number,
  body: unknown,
): ProfileDrift[] {
  const byStatus = profile.endpoints[endpoint];
  if (byStatus === undefined) return [];
  const shape = byStatus[status]?.body;
  if (shape === undefined) {
    const known = Object.keys(byStatus).filter((one) => one.startsWith("2"));
    return known.length > 0 && status < 300
      ? [{ path: "status code", expected: known.join(" or "), received: String(status) }]
      : [];
  }
  return compareShapes(shape, bodyShape(body), DRIFT).map(({ path, before = "", after }) => ({
    path,
    expected: before,
    received: after === undefined ? "nothing" : shown(after),
  }));
}
