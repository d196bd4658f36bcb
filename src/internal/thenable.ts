/** Whether a value is to be awaited. */
export const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Whether a function is known to be async before it runs. A function that a compiler has rewritten is not. */
export const isAsyncFunction = (work: unknown): boolean =>
  Object.prototype.toString.call(work) === "[object AsyncFunction]";
