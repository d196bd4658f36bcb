import type { RejectionCause } from "./causes.ts";
import { type ComparePolicy, compareShapes, type Difference, MERGE } from "./compare-shapes.ts";
import { byText, total } from "./counts.ts";
import { type Found, findRejection, findSchedule, findSuccess } from "./read.ts";
import type { HeaderShape, ListPaging, ResponseShape, ServiceProfile } from "./types.ts";

interface Comparison {
  readonly differences: Difference[];
  /** How many places both profiles know. */
  readonly compared: number;
}

/** Formats, times and effects that were seen, as text by their place. */
type Decided = Readonly<Record<string, string>>;

const difference = (path: string, before: unknown, after: unknown): Difference[] =>
  before === after ? [] : [{ path, before: String(before), after: String(after) }];

const usualHeaders = (
  headers: { readonly [name: string]: HeaderShape },
  seen: ResponseShape["seen"],
): string[] => Object.keys(headers).filter((name) => total(headers[name]?.seen) === total(seen));

/** Headers that were on every response, and are on none. */
const goneHeaders = (at: string, before: ResponseShape, after: ResponseShape): Difference[] =>
  usualHeaders(before.headers, before.seen)
    .filter((name) => after.headers[name] === undefined)
    .map((name) => ({
      path: `${at} header ${name}`,
      before: "on every response",
      after: undefined,
    }));

/** What is known of the paging of a list, as far as it is decided. */
function decidedPaging({ parameters = {}, defaultSizes, clampedSizes }: ListPaging = {}): Decided {
  const effects = Object.entries(parameters).flatMap(([name, { works, ignored }]) =>
    total(works) === total(ignored)
      ? []
      : [[`?${name}`, total(works) > total(ignored) ? "works" : "has no effect"]],
  );
  return Object.fromEntries([
    ...effects,
    ...(defaultSizes === undefined ? [] : [["page length", defaultSizes.join(" or ")]]),
    ...(clampedSizes === undefined ? [] : [["longest page", clampedSizes.join(" or ")]]),
  ]);
}

const compareDecided = (at: string, before: Decided, after: Decided): Difference[] =>
  Object.keys(before)
    .filter((name) => after[name] !== undefined)
    .flatMap((name) => difference(`${at} ${name}`, before[name], after[name]));

class ProfileComparison implements Comparison {
  readonly differences: Difference[] = [];
  compared = 0;
  readonly #policy: ComparePolicy;

  constructor(known: ServiceProfile, now: ServiceProfile, policy: ComparePolicy) {
    this.#policy = policy;
    for (const endpoint of Object.keys({ ...known.endpoints, ...now.endpoints })) {
      this.#addResponse(endpoint, findSuccess(known, endpoint), findSuccess(now, endpoint));
    }
    for (const cause of Object.keys({
      ...known.rejections,
      ...now.rejections,
    }) as RejectionCause[]) {
      this.#addResponse(
        `rejections ${cause}`,
        findRejection(known, cause),
        findRejection(now, cause),
      );
    }
    for (const kind of Object.keys({ ...known.events, ...now.events })) {
      const [before, after] = [known.events[kind], now.events[kind]];
      this.#addPlace(kind, before, after);
      if (before && after) this.#addShapes(kind, before, after);
    }
    for (const [endpoint, before] of Object.entries(known.lists)) {
      const decided = compareDecided(
        endpoint,
        decidedPaging(before),
        decidedPaging(now.lists[endpoint]),
      );
      this.differences.push(...decided);
    }
    const after = findSchedule(now);
    for (const [index, delay] of findSchedule(known).entries()) {
      const other = after[index];
      if (other === undefined) continue;
      const path = `deliveries redelivery ${index + 1}`;
      this.differences.push(...difference(path, `after ${delay} ms`, `after ${other} ms`));
    }
    this.differences.sort((a, b) => byText(a.path, b.path));
  }

  /** A place that only one profile knows is a difference only if everything is compared. */
  #addPlace(path: string, before: unknown, after: unknown): void {
    if (this.#policy.gone !== "all" || (before === undefined) === (after === undefined)) return;
    const seen = (one: unknown) => (one === undefined ? undefined : "seen");
    this.differences.push({ path, before: seen(before), after: seen(after) });
  }

  #addResponse(at: string, before: Found | undefined, after: Found | undefined): void {
    this.#addPlace(at, before, after);
    if (before === undefined || after === undefined) return;
    this.compared++;
    this.differences.push(...difference(`${at} status`, before.status, after.status));
    this.#addShapes(at, before.response, after.response);
    if (this.#policy !== MERGE) {
      this.differences.push(...goneHeaders(at, before.response, after.response));
    }
  }

  #addShapes(at: string, before: Pick<ResponseShape, "body">, after: Pick<ResponseShape, "body">) {
    this.compared += Object.keys(before.body).filter((path) => path in after.body).length;
    for (const one of compareShapes(before.body, after.body, this.#policy)) {
      this.differences.push({ ...one, path: `${at} ${one.path}` });
    }
  }
}

/**
 * Finds the differences between two profiles. Counts and runs do not matter.
 *
 * @example
 * ```ts
 * for (const { path, before, after } of compareProfiles(old, now, DIFF)) console.log(path, before, after);
 * ```
 */
export const compareProfiles = (
  known: ServiceProfile,
  now: ServiceProfile,
  policy: ComparePolicy,
): Difference[] => new ProfileComparison(known, now, policy).differences;

/** A service that changed, or that was seen in other states, differs in fewer places. */
const MIN_PLACES = 5;
const MIN_SHARE = 0.05;

/** Whether two profiles are so different that they cannot be of one service. */
export function isOfTwoServices(a: ServiceProfile, b: ServiceProfile): boolean {
  const { differences, compared } = new ProfileComparison(a, b, MERGE);
  return differences.length >= MIN_PLACES && differences.length >= MIN_SHARE * compared;
}
