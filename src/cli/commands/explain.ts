import { explainFailure, type FailureExplanation } from "../../contract/explain-failure.ts";
import { RESULT_CODES, type RetryAdvice } from "../../contract/result-codes.ts";
import type { Input, Output } from "../command.ts";
import { formatFields, formatTable, type Screen } from "../terminal/table.ts";

const RETRY: Readonly<Record<RetryAdvice, string>> = {
  now: "yes, with a new idempotency key",
  later: "yes, after some minutes, with a new idempotency key",
  look_first: "only after you have read the payment: a prompt may be open, or it may be paid",
  no: "no: it would fail again",
  unknown: "not known",
};

export const run = async ({ args: [code], io }: Input): Promise<Output> =>
  code === undefined ? listCodes(io.stdout) : explain(code);

/** Why a payment failed, in the words of a person. */
export const formatExplanation = (explanation: FailureExplanation): string =>
  formatFields([
    ["code", explanation.code],
    ["cause", explanation.cause],
    ["tell the customer", explanation.customerMessage],
    ["try again", RETRY[explanation.retry]],
  ]);

function explain(given: string): Output {
  const value = explainFailure(given);
  return { value, text: () => formatExplanation(value) };
}

function listCodes(screen: Screen): Output {
  const value = Object.keys(RESULT_CODES).map((code) => explainFailure(code));
  const text = () =>
    formatTable(screen, [
      ["code", "try again", "cause"],
      ...value.map(({ code = "", cause, retry }) => [code, retry.replace("_", " "), cause]),
    ]);
  return { value, text };
}
