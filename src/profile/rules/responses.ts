import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import type { RejectionCause } from "../causes.ts";
import { total } from "../counts.ts";
import { childrenOf, hasType, ROOT } from "../paths.ts";
import { endpointKey, findSuccess, usual } from "../read.ts";
import type { RejectionShape } from "../types.ts";
import { type Finding, type Rule, textsOf } from "./finding.ts";

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
