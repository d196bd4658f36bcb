import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { memoryIdempotency } from "../idempotency/memory/store.ts";
import { warnOnce } from "../internal/warn-once.ts";

const WARNING =
  "malipo: idempotency keys are only in memory. A restart forgets them, and the next call prompts the customer again. Set `idempotency: sqlite(path)`, or `memory()` if that is what you want.";

// Once a process, however many gateways it has.
// biome-ignore lint/suspicious/noConsole: a merchant who set nothing up must see it too.
const warn = /* @__PURE__ */ warnOnce((warning) => console.warn(warning));

/**
 * The store of a gateway that was given none.
 *
 * @param isLive - Whether its key may charge a real customer.
 */
export function defaultStore(isLive: boolean): IdempotencyStore {
  if (isLive) warn(WARNING);
  return memoryIdempotency();
}
