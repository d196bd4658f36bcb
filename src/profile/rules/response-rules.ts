import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import type { RejectionCause } from "../causes.ts";
import { total } from "../merge.ts";
import { findPaging, type Paging } from "../paging.ts";
import { childrenOf, findListPath, hasType, ROOT } from "../paths.ts";
import type { RejectionShape, Shape } from "../profile-types.ts";
import { endpointKey, findSuccess, isList, usual } from "../read.ts";
import { enumerate, type Finding, type Rule, textsOf } from "./finding.ts";

const FIELDS = ["meta.page", "meta.per_page", "meta.total"];

/** What differs in the place of a list and in the fields beside it. */
function bodyDifferences(body: Shape, paging: Paging): string[] {
  const list = findListPath(body);
  if (list === undefined) return ["the response holds no list"];
  const fields = Object.keys(paging.fields);
  const others = ["success", "data", "meta", list];
  const rest = childrenOf(body, ROOT).filter((name) => !others.includes(name));
  const isUnknown = (name: string) => !fields.some((path) => path.startsWith(name));
  const names =
    fields.length === 0 ? "no paging fields" : `the paging fields are ${enumerate(fields)}`;
  return textsOf([
    [list !== "data", `the list is ${list === ROOT ? "the body itself" : list}`],
    [fields.length !== FIELDS.length || !FIELDS.every((one) => fields.includes(one)), names],
    [list !== ROOT && rest.some(isUnknown), `beside the list: ${enumerate(rest)}`],
  ]);
}

/** What the sandbox assumes of lists. */
interface AssumedLists {
  readonly perPage: number;
  readonly maxPerPage: number;
}

/** What differs in the parameters of lists and in their effect. */
function queryDifferences(paging: Paging, { perPage, maxPerPage }: AssumedLists): string[] {
  const { parameters, ignored, defaultSize = perPage, maxSize = maxPerPage } = paging;
  const { size, page, offset, cursor } = parameters;
  return textsOf([
    [(size ?? "per_page") !== "per_page", `?${size} sets the page length`],
    [(page ?? "page") !== "page", `?${page} sets the page`],
    [offset !== undefined, `?${offset} is the offset`],
    [cursor !== undefined, `?${cursor} is the cursor`],
    [size === undefined && ignored.includes("per_page"), "?per_page has no effect"],
    [page === undefined && ignored.includes("page"), "?page has no effect"],
    [defaultSize !== perPage, `${defaultSize} a page`],
    [maxSize !== maxPerPage, `${maxSize} a page at most`],
    [paging.overMax === "clamped", "a larger page is cut to the largest"],
    [paging.firstPage === 0, "the first page is 0"],
    [paging.order === "oldest", "the oldest come first"],
  ]);
}

const LISTS = (Object.keys(ENDPOINTS) as EndpointName[]).filter(isList).map(endpointKey);

/** Decides the query and the response of lists. */
export const listsRule =
  (assumed: AssumedLists): Rule =>
  (profile) =>
    LISTS.flatMap((endpoint): Finding[] => {
      const { body, seen } = findSuccess(profile, endpoint)?.response ?? {};
      if (body === undefined) return [];
      const paging = findPaging(profile, endpoint);
      const contradictions = [
        ...bodyDifferences(body, paging),
        ...queryDifferences(paging, assumed),
      ];
      return [{ seen: total(seen), contradictions }];
    });

/** `no key`, `unknown id`. */
const nameOf = (cause: RejectionCause): string =>
  cause === "wrong_kind" ? "the wrong kind of key" : cause.replace("_", " ");

/** The body of an error in words; `undefined` for the assumed one. */
function describeBody({ body }: RejectionShape): string | undefined {
  if (hasType(body, ROOT, "text")) return "a body that is not JSON";
  if (hasType(body, ROOT, "empty")) return "an empty body";
  const names = childrenOf(body, ROOT).join(", ");
  const types = ["success", "error"].map((name) => Object.keys(body[name]?.types ?? {}).join());
  if (names === "error, success" && types.join() === "boolean,string") return undefined;
  return names === "" ? "another body" : `{ ${names} }`;
}

/** Decides status codes and bodies of errors, by cause. */
export const errorResponsesRule =
  (assumed: Readonly<Partial<Record<RejectionCause, number>>>): Rule =>
  ({ rejections }) =>
    (Object.keys(assumed) as RejectionCause[]).flatMap((cause) =>
      Object.entries(rejections[cause] ?? {}).map(([status, rejection]): Finding => {
        const seen = total(rejection.seen);
        const name = nameOf(cause);
        if (total(rejection.accepted) === seen) {
          return { seen, contradictions: [`${name} is accepted with ${status}`] };
        }
        const body = describeBody(rejection);
        const contradictions = textsOf([
          [Number(status) !== assumed[cause], `${status} for ${name}`],
          [body !== undefined, `errors are ${body}`],
        ]);
        return { seen, contradictions };
      }),
    );

/** Decides the status codes of successes. */
export const successStatusesRule =
  (created: readonly EndpointName[]): Rule =>
  (profile) =>
    (Object.keys(ENDPOINTS) as EndpointName[]).flatMap((name): Finding[] => {
      const { status, response } = findSuccess(profile, endpointKey(name)) ?? {};
      const isOther = status !== (created.includes(name) ? 201 : 200);
      const contradictions = textsOf([[isOther, `${status} from ${endpointKey(name)}`]]);
      return response === undefined ? [] : [{ seen: total(response.seen), contradictions }];
    });

/** Decides the form of timestamps. */
export const timeRule =
  (form: string): Rule =>
  ({ timestamps }) =>
    Object.entries(timestamps).map(([found, counts]) => ({
      seen: total(counts),
      contradictions: found === form ? [] : [found],
    }));

/** Decides whether browsers of any origin may call. */
export const browsersRule: Rule = ({ browsers, endpoints }) => {
  const anyOrigin = Object.values(endpoints)
    .flatMap((byStatus) => Object.values(byStatus))
    .map(({ headers }) => headers["access-control-allow-origin"])
    .filter((header) => header?.values?.includes("*"));
  const decided: readonly (readonly [seen: number, ...contradictions: string[]])[] = [
    [anyOrigin.reduce((sum, header) => sum + total(header?.seen), 0)],
    [total(browsers.rejected), "no Access-Control-Allow-Origin for a request with an Origin"],
    [total(browsers.allowed), "only some origins are allowed"],
  ];
  const [seen, ...contradictions] = decided.find(([one]) => one > 0) ?? [0];
  return [{ seen, contradictions }];
};

/** Decides which endpoints a sandbox key may call. */
export const sandboxKeyRule: Rule = ({ keys }) =>
  Object.entries(keys.sandbox ?? {}).map(([endpoint, { allowed, rejected }]) => ({
    seen: total(allowed) + total(rejected),
    contradictions: total(rejected) > total(allowed) ? [`it may not call ${endpoint}`] : [],
  }));

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** `10 s`, `5 min`. */
function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds >= one && seconds % one === 0) ?? [1, "s"];
  return `${seconds / size} ${unit}`;
}

/** Decides the retry schedule, by the gaps that were seen. Gaps at the end may not be known yet. */
export const deliveryScheduleRule =
  (delaysMs: readonly number[]): Rule =>
  ({ deliveries }) =>
    Object.entries(deliveries.redeliveries).map(([number, { gaps }]): Finding => {
      const gap = Number(usual(gaps) ?? 0);
      const assumed = delaysMs[Number(number) - 1];
      const text =
        assumed === undefined
          ? `there is a redelivery ${number}, after ${duration(gap)}`
          : `redelivery ${number} comes after ${duration(gap)}`;
      const seen = Object.values(gaps).reduce((sum, one) => sum + total(one), 0);
      return { seen, contradictions: gap * 1_000 === assumed ? [] : [text] };
    });
