import { explainFailure } from "../../contract/explain-failure.ts";
import { RESULT_CODES, type RetryAdvice } from "../../contract/result-codes.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { formatFields, formatTable, printResult } from "../terminal/output.ts";

const RETRY: Readonly<Record<RetryAdvice, string>> = {
  now: "yes, with a new idempotency key",
  later: "yes, after some minutes, with a new idempotency key",
  look_first: "only after you have read the payment: a prompt may be open, or it may be paid",
  no: "no: it would fail again",
  unknown: "not known",
};

export async function run({ args: [code], json }: Input): Promise<number> {
  if (code === undefined) listCodes(json);
  else explain(code, json);
  return EXIT.ok;
}

function explain(code: string, json: boolean): void {
  const explained = explainFailure(code);
  printResult(json, explained, () =>
    formatFields([
      ["code", explained.code],
      ["cause", explained.cause],
      ["tell the customer", explained.customerMessage],
      ["try again", RETRY[explained.retry]],
    ]),
  );
}

function listCodes(json: boolean): void {
  const all = Object.keys(RESULT_CODES).map((code) => explainFailure(code));
  printResult(json, all, () =>
    formatTable([
      ["code", "try again", "cause"],
      ...all.map(({ code = "", cause, retry }) => [code, retry.replace("_", " "), cause]),
    ]),
  );
}
