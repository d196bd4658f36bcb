import { total } from "../counts.ts";
import { type Finding, joinFindings, NOTHING_SEEN, type Rule } from "./finding.ts";

/** Decides the form of timestamps. */
export const timeRule =
  (form: string): Rule =>
  ({ timestamps }) =>
    joinFindings(
      Object.entries(timestamps).map(([found, counts]) => ({
        seen: total(counts),
        contradictions: found === form ? [] : [found],
      })),
    );

/** Decides whether browsers of any origin may call. */
export const browsersRule: Rule = ({ browsers, endpoints }) => {
  const rejected = total(browsers.rejected);
  const allowing = Object.values(endpoints)
    .flatMap((byStatus) => Object.values(byStatus))
    .map(({ headers }) => headers["access-control-allow-origin"]);
  const anyOrigin = allowing.filter((header) => header?.values?.includes("*"));
  const allowed = anyOrigin.reduce((sum, header) => sum + total(header?.seen), 0);
  if (allowed > 0) return { seen: allowed, contradictions: [] };
  if (rejected > 0) {
    return {
      seen: rejected,
      contradictions: ["no Access-Control-Allow-Origin for a request with an Origin"],
    };
  }
  return total(browsers.allowed) > 0
    ? { seen: total(browsers.allowed), contradictions: ["only some origins are allowed"] }
    : NOTHING_SEEN;
};

/** Decides which endpoints a sandbox key may call. */
export const sandboxKeyRule: Rule = ({ keys }) =>
  joinFindings(
    Object.entries(keys.sandbox ?? {}).map(
      ([endpoint, { allowed, rejected }]): Finding => ({
        seen: total(allowed) + total(rejected),
        contradictions: total(rejected) > total(allowed) ? [`it may not call ${endpoint}`] : [],
      }),
    ),
  );

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
    joinFindings(
      Object.entries(deliveries.redeliveries).map(([number, { gaps }]): Finding => {
        const seen = Object.values(gaps).reduce((sum, one) => sum + total(one), 0);
        const usual = Object.keys(gaps).sort((a, b) => total(gaps[b]) - total(gaps[a]));
        const [gap = "0"] = usual;
        const assumed = delaysMs[Number(number) - 1];
        const isAssumed = assumed !== undefined && Number(gap) * 1_000 === assumed;
        const contradictions = isAssumed
          ? []
          : [
              assumed === undefined
                ? `there is a redelivery ${number}, after ${duration(Number(gap))}`
                : `redelivery ${number} comes after ${duration(Number(gap))}`,
            ];
        return { seen, contradictions };
      }),
    );
