import { ENDPOINTS, type EndpointName } from "../contract/endpoints.ts";
import type { RejectionCause } from "./causes.ts";
import { total } from "./counts.ts";
import type { RejectionShape, ResponseShape, ServiceProfile } from "./types.ts";

/** The name of an endpoint in a profile: `GET /payments/{reference}`. */
export const endpointKey = (name: EndpointName): string =>
  `${ENDPOINTS[name].method} ${ENDPOINTS[name].path}`;

/** A status, and the responses that had it. */
export interface Found<Response extends ResponseShape = ResponseShape> {
  readonly status: number;
  readonly response: Response;
}

/** The one that was seen most often; the lower status of two that were seen equally often. */
function mostSeen<Response extends ResponseShape>(
  byStatus: { readonly [status: string]: Response } | undefined,
  count: (response: Response) => number,
  accepts: (status: number) => boolean,
): Found<Response> | undefined {
  let found: Found<Response> | undefined;
  for (const [key, response] of Object.entries(byStatus ?? {})) {
    const status = Number(key);
    if (!accepts(status) || count(response) === 0) continue;
    if (found === undefined || count(response) > count(found.response)) {
      found = { status, response };
    }
  }
  return found;
}

/** The usual success of an endpoint, such as `GET /merchant`. `undefined`: none was seen. */
export const findSuccess = (profile: ServiceProfile, endpoint: string): Found | undefined =>
  mostSeen(
    profile.endpoints[endpoint],
    ({ seen }) => total(seen),
    (status) => status >= 200 && status < 300,
  );

/**
 * The usual rejection of a cause: at this endpoint, or else anywhere. A status below 300 whose body is
 * not an error means that the service accepts such a request: see `isAccepted`.
 */
export function findRejection(
  profile: ServiceProfile,
  cause: RejectionCause,
  endpoint?: string,
): Found<RejectionShape> | undefined {
  const byStatus = profile.rejections[cause];
  const here =
    endpoint === undefined
      ? undefined
      : mostSeen(
          byStatus,
          ({ at }) => total(at[endpoint]),
          () => true,
        );
  return (
    here ??
    mostSeen(
      byStatus,
      ({ seen }) => total(seen),
      () => true,
    )
  );
}

/** Whether the service did what was asked, so that it does not reject for this cause. */
export const isAccepted = ({ status, response }: Found<RejectionShape>): boolean =>
  status < 300 && response.accepted !== undefined;

/** The waits between deliveries of one event in milliseconds, as usually seen, in their order. */
export function findSchedule({ deliveries }: ServiceProfile): number[] {
  const delays: number[] = [];
  for (let number = 1; ; number++) {
    const gaps = Object.entries(deliveries.redeliveries[number]?.gaps ?? {});
    const [usual] = gaps.sort(([a, x], [b, y]) => total(y) - total(x) || Number(a) - Number(b));
    if (usual === undefined) return delays;
    delays.push(Math.round(Number(usual[0]) * 1_000));
  }
}

/** What stands before the digits of a signature, as usually seen. `undefined`: no delivery was seen. */
export function findSignaturePrefix({ deliveries }: ServiceProfile): string | undefined {
  const [usual] = Object.entries(deliveries.signaturePrefixes).sort(
    ([, x], [, y]) => total(y) - total(x),
  );
  if (usual === undefined) return undefined;
  return usual[0] === "none" ? "" : usual[0];
}
