import { ENDPOINTS, type Endpoint, type EndpointName } from "../contract/endpoints.ts";
import type { RejectionCause } from "./causes.ts";
import { total } from "./merge.ts";
import { findListPath, findResourcePath, itemPath, shapeAt } from "./paths.ts";
import type {
  Counts,
  RejectionShape,
  ResponseShape,
  ServiceProfile,
  Shape,
} from "./profile-types.ts";

/** The name of an endpoint in a profile: `GET /payments/{reference}`. */
export const endpointKey = (name: EndpointName): string =>
  `${ENDPOINTS[name].method} ${ENDPOINTS[name].path}`;

/** The name that was seen most often; of two that were seen equally often the lower number. */
export const usual = (seen: Readonly<Record<string, Counts | undefined>>): string | undefined =>
  Object.keys(seen)
    .filter((name) => total(seen[name]) > 0)
    .sort((a, b) => total(seen[b]) - total(seen[a]) || Number(a) - Number(b))[0];

/** A status, and the responses that had it. */
export interface Found<Response extends ResponseShape = ResponseShape> {
  readonly status: number;
  readonly response: Response;
}

function mostSeen<Response extends ResponseShape>(
  byStatus: Readonly<Record<string, Response>>,
  countsOf: (response: Response, status: string) => Counts | undefined,
): Found<Response> | undefined {
  const seen = Object.entries(byStatus).map(([status, one]) => [status, countsOf(one, status)]);
  const status = usual(Object.fromEntries(seen));
  const response = status === undefined ? undefined : byStatus[status];
  return response && { status: Number(status), response };
}

/** The usual success of an endpoint, such as `GET /merchant`. `undefined`: none was seen. */
export const findSuccess = (profile: ServiceProfile, endpoint: string): Found | undefined =>
  mostSeen(profile.endpoints[endpoint] ?? {}, ({ seen }, status) =>
    status.startsWith("2") ? seen : undefined,
  );

export const isList = (name: EndpointName): boolean => (ENDPOINTS[name] as Endpoint).list === true;

/** The resource in the usual success of an endpoint, or an item of its list. */
export function resourceShape(profile: ServiceProfile, name: EndpointName): Shape {
  const { body = {} } = findSuccess(profile, endpointKey(name))?.response ?? {};
  if (!isList(name)) return shapeAt(body, findResourcePath(body));
  const list = findListPath(body);
  return list === undefined ? {} : shapeAt(body, itemPath(list));
}

/**
 * The usual rejection of a cause: at this endpoint, or else anywhere. A status below 300 whose body is
 * not an error means that the service accepts such a request: see `isAccepted`.
 */
export function findRejection(
  { rejections }: ServiceProfile,
  cause: RejectionCause,
  endpoint = "",
): Found<RejectionShape> | undefined {
  const byStatus = rejections[cause] ?? {};
  return mostSeen(byStatus, ({ at }) => at[endpoint]) ?? mostSeen(byStatus, ({ seen }) => seen);
}

/** Whether the service did what was asked, so that it does not reject for this cause. */
export const isAccepted = ({ status, response }: Found<RejectionShape>): boolean =>
  status < 300 && response.accepted !== undefined;

/** Where the list stands in the responses of an endpoint, such as `content`. `undefined`: not known. */
export const learnedListPath = (profile: ServiceProfile, endpoint: string): string | undefined =>
  findListPath(findSuccess(profile, endpoint)?.response.body ?? {});

/** The waits between deliveries of one event in milliseconds, as usually seen, in their order. */
export function findSchedule({ deliveries }: ServiceProfile): number[] {
  const delays: number[] = [];
  for (let number = 1; ; number++) {
    const gap = usual(deliveries.redeliveries[number]?.gaps ?? {});
    if (gap === undefined) return delays;
    delays.push(Math.round(Number(gap) * 1_000));
  }
}
