import { explainFailure } from "../../contract/explain-failure.ts";
import { RESULT_CODES, type RetryAdvice } from "../../contract/result-codes.ts";
import type { Input, Output } from "../command.ts";
import { formatFields, formatTable } from "../terminal/output.ts";

const RETRY: Readonly<Record<RetryAdvice, string>> = {
  now: "yes, with a new idempotency key",
  later: "yes, after some minutes, with a new idempotency key",
  look_first: "only after you have read the payment: a prompt may be open, or it may be paid",
  no: "no: it would fail again",
  unknown: "not known",
};

export const run = async ({ args: [code] }: Input): Promise<Output> =>
  code === undefined ? listCodes() : explain(code);

function explain(given: string): Output {
  const value = explainFailure(given);
  const { code, cause, customerMessage, retry } = value;
  const text = () =>
    formatFields([
      ["code", code],
      ["cause", cause],
      ["tell the customer", customerMessage],
      ["try again", RETRY[retry]],
    ]);
  return { value, text };
}

function listCodes(): Output {
  const value = Object.keys(RESULT_CODES).map((code) => explainFailure(code));
  const text = () =>
    formatTable([
      ["code", "try again", "cause"],
      ...value.map(({ code = "", cause, retry }) => [code, retry.replace("_", " "), cause]),
    ]);
  return { value, text };
}
