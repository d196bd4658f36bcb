import type { ServiceProfile } from "../profile/profile-types.ts";
import { joinFindings, type Rule } from "../profile/rules/finding.ts";
import {
  deletionsRule,
  fieldsRule,
  fillersRule,
  idsRule,
  invoicesRule,
  otherPayloadsRule,
  sameResponseRule,
  signingSecretRule,
  validatePhoneRule,
} from "../profile/rules/resource-rules.ts";
import {
  browsersRule,
  deliveryScheduleRule,
  errorResponsesRule,
  listsRule,
  sandboxKeyRule,
  successStatusesRule,
  timeRule,
} from "../profile/rules/response-rules.ts";
import { ASSUMPTIONS } from "./assumptions.ts";

/** How a profile of a service decides an assumption. */
const RULES: Readonly<Record<string, Rule>> = {
  time: timeRule("YYYY-MM-DDTHH:mm:ss+03:00"),
  browsers: browsersRule,
  keys: sandboxKeyRule,
  errorResponses: errorResponsesRule({
    no_key: 401,
    unknown_key: 401,
    wrong_kind: 403,
    missing_scope: 403,
    unknown_path: 404,
    unknown_id: 404,
    wrong_method: 405,
    invalid_json: 400,
    invalid_field: 422,
  }),
  statuses: successStatusesRule(["invoices.create", "webhooks.register"]),
  lists: listsRule(ASSUMPTIONS.lists.value),
  paymentsInitiate: sameResponseRule("payments.initiate", "mobileMoney.initiate"),
  mobileMoneyStatus: sameResponseRule("mobileMoney.status", "payments.get"),
  validatePhone: validatePhoneRule,
  fillers: fillersRule("KES"),
  otherPayloads: otherPayloadsRule,
  webhooks: fieldsRule("webhook", ["id", "name", "url", "events"]),
  signingSecret: signingSecretRule,
  deliverySchedule: deliveryScheduleRule(ASSUMPTIONS.deliverySchedule.value),
  invoices: invoicesRule(
    ["id", "number", "status", "due_at", "created_at", "amount"],
    ["draft", "sent", "paid", "overdue"],
  ),
  deletions: deletionsRule,
  ids: idsRule,
} satisfies Partial<Record<keyof typeof ASSUMPTIONS, Rule>>;

/** What was learned about one assumption of the sandbox. */
export interface AssumptionResult {
  /** The name of the assumption, such as `lists`. */
  readonly name: keyof typeof ASSUMPTIONS;
  /**
   * `confirmed`: the service does what the sandbox assumes. `contradicted`: it does something else.
   * `unseen`: nothing that was seen bears on it.
   */
  readonly result: "confirmed" | "contradicted" | "unseen";
  /** How many observations bear on it. */
  readonly seen: number;
  /** What the sandbox assumes. */
  readonly assumed: string;
  /** What the service does in another way; `null` unless contradicted. */
  readonly found: string | null;
}

/** What a profile shows about each assumption of the sandbox: one entry for each, in their order. */
export const assumptionResults = (profile: ServiceProfile): AssumptionResult[] =>
  (Object.keys(ASSUMPTIONS) as AssumptionResult["name"][]).map((name) => {
    const { seen, contradictions } = joinFindings(RULES[name]?.(profile) ?? []);
    const isContradicted = contradictions.length > 0;
    return {
      name,
      result: isContradicted ? "contradicted" : seen > 0 ? "confirmed" : "unseen",
      seen,
      assumed: ASSUMPTIONS[name].choice,
      found: isContradicted ? contradictions.join("; ") : null,
    };
  });
