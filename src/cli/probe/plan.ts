import { maskPhones } from "../../internal/phone-digits.ts";
import { PARTS, type Part, type Step } from "../../learn/probe/steps/step.ts";
import type { Choices } from "../../learn/probe/steps/steps.ts";
import { formatTable, paint, printable } from "../terminal/output.ts";

/** What the plan says of itself before it begins. */
export interface PlanFacts {
  readonly baseUrl: string;
  readonly keyKind: string;
  readonly phone: string | undefined;
  /** The file that the profile goes to. */
  readonly out: string | undefined;
  readonly choices: Choices;
}

const TITLES: Readonly<Record<Part, string>> = {
  reads: "Reads",
  refusals: "Refusals that cost nothing",
  paging: "Paging, one question a request",
  write: "An invoice and a webhook",
  deletion: "Their deletion, also if an earlier step fails",
  "after deletion": "What is left of them",
  prompt: "A payment",
};

const queryOf = ({ query = {} }: Step): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** The request of a step, without its values: `GET /payments/{payment}`. */
export function stepName(step: Step): string {
  const query = queryOf(step);
  const path = step.path === "{readable}" ? "(any read)" : step.path;
  return `${step.method} ${path}${query && `?${query}`}`;
}

function partRows(part: Part, steps: readonly Step[]): string[][] {
  if (part !== "paging") {
    return steps.map((step) => [stepName(step), step.learns]);
  }
  const paths = [...new Set(steps.map(({ path }) => path))];
  return paths.map((path) => {
    const own = steps.filter((step) => step.path === path);
    return [
      `GET ${path}`,
      own
        .map((step) => queryOf(step) && `?${queryOf(step)}`)
        .join(" ")
        .trim(),
    ];
  });
}

function formatPart(part: Part, steps: readonly Step[]): string {
  const title = `${TITLES[part]} (${steps.length})`;
  return `${paint("bold", title)}\n${formatTable(partRows(part, steps)).replace(/^/gm, "  ")}`;
}

function promises({ choices: { write, prompt }, phone = "", out }: PlanFacts): string[] {
  return [
    write
      ? "It creates one invoice and one webhook, changes them and deletes them again. It sends nothing to a customer."
      : "It creates nothing: add --write to create and delete an invoice and a webhook.",
    prompt
      ? `It asks the phone ${maskPhones(phone)} to pay 1.00.`
      : "It starts no payment: add --prompt PHONE to start one.",
    ...(out === undefined
      ? []
      : [`It writes what it learns to ${printable(out)}: shapes, never values.`]),
  ];
}

/** What the probe is going to send, before it sends anything. */
export function formatPlan(steps: readonly Step[], facts: PlanFacts): string {
  const parts = PARTS.flatMap((part) => {
    const own = steps.filter((step) => step.part === part);
    return own.length === 0 ? [] : [formatPart(part, own)];
  });
  const head = `malipo asks ${printable(facts.baseUrl)} at most ${steps.length} questions, one at a time, with a ${facts.keyKind} key.`;
  return [head, ...parts, promises(facts).join("\n")].join("\n\n");
}
