import type { TraceContext } from "../../inbox/types.ts";

// An inbox gives a job the headers of its delivery again. Whose event it is travels as one of them.
const NAME = "malipo-merchant";

export const withMerchant = (
  context: TraceContext | undefined,
  merchant: string | undefined,
): TraceContext | undefined =>
  merchant === undefined ? context : { ...context, [NAME]: merchant };

/** Whose event a job is; `undefined` where the receiver is for one account. */
export const merchantOf = (context: TraceContext | undefined): string | undefined =>
  context?.[NAME];

/** The context without the merchant, as the `receive` hook returned it. */
export function traceOf(context: TraceContext | undefined): TraceContext | undefined {
  if (context?.[NAME] === undefined) return context;
  const { [NAME]: _, ...trace } = context;
  return Object.keys(trace).length === 0 ? undefined : trace;
}
