import { maskPhones } from "../../internal/phone-digits.ts";
import { FOLLOW_MS } from "../../learn/probe/follow-payment.ts";
import { PARTS, type Step } from "../../learn/probe/steps/step.ts";
import { formatTable, paint, printable } from "../terminal/output.ts";
import type { ProbeSettings } from "./settings.ts";

type Asked = Pick<ProbeSettings, "baseUrl" | "keyKind" | "phone" | "write">;

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

/** One row for each request, and for paging one for each list. */
function rowsOf(part: string, steps: readonly Step[]): string[][] {
  if (part !== "paging") return steps.map((step) => [stepName(step), step.learns]);
  return [...new Set(steps.map(({ path }) => path))].map((path) => {
    const queries = steps.filter((step) => step.path === path).map(queryOf);
    return [`GET ${path}`, queries.flatMap((query) => (query ? [`?${query}`] : [])).join(" ")];
  });
}

function promises({ write, keyKind, phone }: Asked, out: string | undefined): string[] {
  const isLive = keyKind === "secret";
  return [
    write
      ? `It creates one invoice and one webhook, changes them and deletes them again.${phone ? "" : " It sends nothing to a customer."}${isLive ? " The key is a secret key: the invoice is in the real books until it is deleted." : ""}`
      : "It creates nothing: add --write to create and delete an invoice and a webhook.",
    phone
      ? `It asks the phone ${maskPhones(phone)} to pay 1.00, and waits until the prompt is answered, for at most ${FOLLOW_MS / 60_000} min.${isLive ? " The key is a secret key: this is real money." : ""}`
      : "It starts no payment: add --prompt PHONE to start one.",
    "No probe can decide the headers, payloads and retries of deliveries, what a sent invoice returns, and the status of a missing scope: those come from an observer or the proxy.",
    ...(out === undefined
      ? []
      : [`It writes what it learns to ${printable(out)}: shapes, never values.`]),
  ];
}

/**
 * What the probe is going to send, before it sends anything.
 *
 * @param out - The file that the profile goes to; `undefined` if it goes to none.
 */
export function formatPlan(steps: readonly Step[], asked: Asked, out?: string): string {
  const parts = Object.entries(PARTS).flatMap(([part, title]) => {
    const own = steps.filter((step) => step.part === part);
    if (own.length === 0) return [];
    const rows = formatTable(rowsOf(part, own)).replace(/^/gm, "  ");
    return [`${paint("bold", `${title} (${own.length})`)}\n${rows}`];
  });
  const head = `malipo asks ${printable(asked.baseUrl)} at most ${steps.length} questions, one at a time, with a ${asked.keyKind} key.`;
  return [head, ...parts, promises(asked, out).join("\n")].join("\n\n");
}
