import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { MobileMoneyPaymentParams } from "../../contract/payment.ts";
import type { CallOptions } from "../options.ts";
import { signalsOf } from "../payment-signals.ts";
import type { Look } from "../waiting/collect.ts";
import type { LookContext } from "./attempts.ts";
import { attemptsFor } from "./match-payments.ts";
import { lookForPayments } from "./resolve-unknown.ts";

const { method, path } = ENDPOINTS["mobileMoney.initiate"];
const ENDPOINT = `${method} ${path}`;

/** Longer than any attempt is old. */
const MAX_AGE_MS = Number.MAX_SAFE_INTEGER;

/**
 * Looks for the payment of one attempt to prompt a customer, and resolves the attempt by it. Never
 * concludes that there is none: that it is `gone` means that looking on is of no use.
 */
export async function lookForAttempt(
  context: LookContext,
  idempotencyKey: string,
  params: MobileMoneyPaymentParams,
  options: CallOptions,
): Promise<Look> {
  const { accountReference } = signalsOf(params);
  if (accountReference === undefined) return "gone";
  const digest = context.store.digest(accountReference);
  const record = (await attemptsFor(context, digest)).find(
    (one) => one.idempotencyKey === idempotencyKey && one.endpoint === ENDPOINT,
  );
  if (record === undefined) return "gone";
  // A webhook, or another process, has resolved it.
  if (record.state === "succeeded") return "found";
  if (record.state === "in_flight") return "open";
  const reports = await lookForPayments(context, { lookBackMs: MAX_AGE_MS }, options, record);
  if (reports.some(({ state }) => state === "resolved")) return "found";
  // Its request cannot be on its way any more, so this look was the last one that makes sense.
  return record.notSentInMs === 0 ? "gone" : "open";
}
