import type { IdempotencyStore } from "./idempotency-store.ts";
import type { IdempotencyStoreOptions } from "./store-options.ts";

/** An engine that holds idempotency keys. Each option that takes an idempotency store takes it, too. */
export interface IdempotencyEngine {
  /**
   * The store of idempotency keys. Call it if you need other options than the defaults. The same
   * options return the same store.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
}
