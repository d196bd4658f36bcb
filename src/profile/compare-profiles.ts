import type { RejectionCause } from "./causes.ts";
import { type ComparePolicy, compareShapes, type Difference, MERGE } from "./compare-shapes.ts";
import { byText, total } from "./merge.ts";
import type { HeaderShape, ListPaging, ServiceProfile, Shape } from "./profile-types.ts";
import { type Found, findRejection, findSchedule, findSuccess } from "./read.ts";

/** What is known of one part of a service: an endpoint, a cause of rejections, a list, an event. */
interface Part {
  /** Its body, if there is one. */
  readonly body?: Shape;
  readonly headers?: Readonly<Record<string, HeaderShape>>;
  /** The headers that were on every response. */
  readonly usualHeaders?: readonly string[];
  /** What is decided, as text by its name. It is compared if both know it. */
  readonly decided?: Readonly<Record<string, string>>;
}

const partOf = ({ status, response }: Found, decided?: Part["decided"]): Part => ({
  ...response,
  usualHeaders: Object.entries(response.headers).flatMap(([name, { seen }]) =>
    total(seen) === total(response.seen) ? [name] : [],
  ),
  decided: { status: String(status), ...decided },
});

/** What is known of the paging of a list, as far as it is decided. */
function decidedPaging({ parameters = {}, defaultSizes, clampedSizes }: ListPaging = {}) {
  const effects = Object.entries(parameters).flatMap(([name, { works, ignored }]) =>
    total(works) === total(ignored)
      ? []
      : [[`?${name}`, total(works) > total(ignored) ? "works" : "has no effect"]],
  );
  return {
    ...Object.fromEntries(effects),
    ...(defaultSizes && { "page length": defaultSizes.join(" or ") }),
    ...(clampedSizes && { "longest page": clampedSizes.join(" or ") }),
  };
}

/** What is known of each part of a service, by its name. */
function partsOf(profile: ServiceProfile): Map<string, Part> {
  const { endpoints, rejections, lists, events } = profile;
  const successes = Object.keys(endpoints).map((name) => {
    const found = findSuccess(profile, name);
    return [name, found && partOf(found, decidedPaging(lists[name]))] as const;
  });
  const causes = (Object.keys(rejections) as RejectionCause[]).map((cause) => {
    const found = findRejection(profile, cause);
    return [`rejections ${cause}`, found && partOf(found)] as const;
  });
  const delays = findSchedule(profile).map((ms, at) => [`redelivery ${at + 1}`, `after ${ms} ms`]);
  return new Map<string, Part>([
    ...[...successes, ...causes].flatMap(([name, part]) => (part ? [[name, part] as const] : [])),
    ...Object.entries(events),
    ["deliveries", { decided: Object.fromEntries(delays) }],
  ]);
}

const difference = (path: string, before?: string, after?: string): Difference[] =>
  before === after ? [] : [{ path, before, after }];

/** Compares a part that both profiles know. */
function compareParts(at: string, known: Part, now: Part, policy: ComparePolicy): Difference[] {
  const { body = {}, usualHeaders = [], decided = {} } = known;
  const gone =
    policy === MERGE ? [] : usualHeaders.filter((name) => !(name in (now.headers ?? {})));
  return [
    ...Object.entries(decided).flatMap(([name, before]) =>
      difference(`${at} ${name}`, before, now.decided?.[name] ?? before),
    ),
    ...compareShapes(body, now.body ?? {}, policy).map((one) => ({
      ...one,
      path: `${at} ${one.path}`,
    })),
    ...gone.flatMap((name) => difference(`${at} header ${name}`, "on every response")),
  ];
}

/**
 * Finds the differences between two profiles. Counts and runs do not matter.
 *
 * @example
 * ```ts
 * for (const { path, before, after } of compareProfiles(old, now, DIFF)) console.log(path, before, after);
 * ```
 */
export function compareProfiles(
  known: ServiceProfile,
  now: ServiceProfile,
  policy: ComparePolicy,
): Difference[] {
  const [before, after] = [partsOf(known), partsOf(now)];
  const seen = (part: Part | undefined) => part && "seen";
  const differences = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one && other) return compareParts(name, one, other, policy);
    // A place that only one profile knows is a difference only if everything is compared.
    return policy.gone === "all" ? difference(name, seen(one), seen(other)) : [];
  });
  return differences.sort((a, b) => byText(a.path, b.path));
}

/** A service that changed, or that was seen in other states, differs in fewer places. */
const MIN_PLACES = 5;
const MIN_SHARE = 0.05;

/** Whether two profiles are so different that they cannot be of one service. */
export function isOfTwoServices(a: ServiceProfile, b: ServiceProfile): boolean {
  const differences = compareProfiles(a, b, MERGE).length;
  const others = partsOf(b);
  const compared = [...partsOf(a)].flatMap(([name, { body = {} }]) => {
    const other = others.get(name)?.body;
    return other === undefined ? [] : [name, ...Object.keys(body).filter((path) => path in other)];
  });
  return differences >= MIN_PLACES && differences >= MIN_SHARE * compared.length;
}
