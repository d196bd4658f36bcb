import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import type { RejectionCause } from "../causes.ts";
import { total } from "../counts.ts";
import { childrenOf, hasType, ROOT } from "../paths.ts";
import { endpointKey, findSuccess } from "../read.ts";
import type { RejectionShape, ServiceProfile } from "../types.ts";
import { enumerate, type Finding, joinFindings, NOTHING_SEEN, type Rule } from "./finding.ts";
import { resourceOf } from "./resources.ts";

const CAUSE_NAMES: Readonly<Partial<Record<RejectionCause, string>>> = {
  no_key: "no key",
  unknown_key: "an unknown key",
  wrong_kind: "the wrong kind of key",
  missing_scope: "a missing scope",
  unknown_path: "an unknown path",
  unknown_id: "an unknown id",
  wrong_method: "a wrong method",
  invalid_json: "invalid JSON",
  invalid_field: "an invalid field",
};

/** The body of an error in words: `{ message, errors }`, `HTML or text`, `an empty body`. */
function describeBody({ body }: RejectionShape): string {
  if (hasType(body, ROOT, "text")) return "a body that is not JSON";
  if (hasType(body, ROOT, "empty")) return "an empty body";
  const names = childrenOf(body, ROOT);
  return names.length === 0 ? "another body" : `{ ${names.join(", ")} }`;
}

const isAssumedBody = ({ body }: RejectionShape): boolean =>
  childrenOf(body, ROOT).join() === "error,success" &&
  Object.keys(body.success?.types ?? {}).join() === "boolean" &&
  Object.keys(body.error?.types ?? {}).join() === "string";

function rejectionFinding(
  cause: RejectionCause,
  assumed: number,
  profile: ServiceProfile,
): Finding {
  return joinFindings(
    Object.entries(profile.rejections[cause] ?? {}).map(([status, rejection]): Finding => {
      const seen = total(rejection.seen);
      const name = CAUSE_NAMES[cause] ?? cause;
      if (total(rejection.accepted) === seen) {
        return { seen, contradictions: [`${name} is accepted with ${status}`] };
      }
      const contradictions: string[] = [];
      if (Number(status) !== assumed) contradictions.push(`${status} for ${name}`);
      if (!isAssumedBody(rejection)) contradictions.push(`errors are ${describeBody(rejection)}`);
      return { seen, contradictions };
    }),
  );
}

/** Decides status codes and bodies of errors, by cause. */
export const errorResponsesRule =
  (statuses: Readonly<Partial<Record<RejectionCause, number>>>): Rule =>
  (profile) =>
    joinFindings(
      Object.entries(statuses).map(([cause, status]) =>
        rejectionFinding(cause as RejectionCause, status, profile),
      ),
    );

/** Decides the status codes of successes. */
export const successStatusesRule =
  (created: readonly EndpointName[]): Rule =>
  (profile) =>
    joinFindings(
      (Object.keys(ENDPOINTS) as EndpointName[]).map((name): Finding => {
        const endpoint = endpointKey(name);
        const found = findSuccess(profile, endpoint);
        if (found === undefined) return NOTHING_SEEN;
        const assumed = created.includes(name) ? 201 : 200;
        const isAssumed = found.status === assumed;
        const contradictions = isAssumed ? [] : [`${found.status} from ${endpoint}`];
        return { seen: total(found.response.seen), contradictions };
      }),
    );

/** Decides whether two endpoints return the same: `endpoint` is assumed to return what `other` does. */
export const sameResponseRule =
  (endpoint: string, other: string): Rule =>
  (profile) => {
    const [mine, assumed] = [resourceOf(profile, endpoint), resourceOf(profile, other)];
    if (mine === undefined || assumed === undefined) return NOTHING_SEEN;
    const [names, others] = [Object.keys(mine.fields), Object.keys(assumed.fields)];
    const further = names.filter((name) => !others.includes(name));
    const isSubject = names.some((name) => others.includes(name));
    return {
      seen: mine.seen,
      contradictions: [
        ...(further.length > 0 ? [`${endpoint} returns ${enumerate(further)}, too`] : []),
        ...(isSubject ? [] : [`${endpoint} returns none of the fields of ${other}`]),
      ],
    };
  };

/** Decides the response to a phone that is validated. */
export const validatePhoneRule: Rule = (profile) => {
  const resource = resourceOf(profile, "POST /mobile-money/validate-phone");
  const found: Finding[] = [];
  if (resource !== undefined) {
    const names = Object.keys(resource.fields);
    const isAssumed =
      names.includes("valid") &&
      names.includes("phone") &&
      names.every((name) => ["valid", "phone", "network"].includes(name));
    const contradictions = isAssumed ? [] : [`the response has ${enumerate(names)}`];
    found.push({ seen: resource.seen, contradictions });
  }
  // What is not a number at all, such as `12`, is rejected by the sandbox, too.
  for (const [status, rejection] of Object.entries(profile.rejections.unusable_phone ?? {})) {
    const isRejected = total(rejection.accepted) < total(rejection.seen);
    const contradictions = isRejected ? [`${status} for a number that cannot be charged`] : [];
    found.push({ seen: total(rejection.seen), contradictions });
  }
  return joinFindings(found);
};

/** Decides the response of deletions. */
export const deletionsRule: Rule = (profile) =>
  joinFindings(
    ["DELETE /invoices/{invoice}", "DELETE /webhooks/{id}"].map((endpoint): Finding => {
      const found = findSuccess(profile, endpoint);
      if (found === undefined) return NOTHING_SEEN;
      const seen = total(found.response.seen);
      const resource = resourceOf(profile, endpoint);
      if (resource === undefined) {
        return { seen, contradictions: [`${endpoint} returns ${found.status} without an object`] };
      }
      const names = Object.keys(resource.fields);
      const isAssumed = names.join() === "deleted,id";
      return { seen, contradictions: isAssumed ? [] : [`${endpoint} returns ${enumerate(names)}`] };
    }),
  );
