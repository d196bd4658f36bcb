import { ABOUT_DELIVERIES } from "./assumptions/deliveries.ts";
import type { Assumption } from "./assumptions/entry.ts";
import { ABOUT_PAYMENTS } from "./assumptions/payments.ts";
import { ABOUT_REQUESTS } from "./assumptions/requests.ts";

export type { Assumption, Learnable, NotLearnable } from "./assumptions/entry.ts";

/**
 * Every choice that the sandbox made because the interface of the service is silent. They hold only for
 * the sandbox: the client depends on none of them, and your code should not either. If a choice is a
 * number or a name, the sandbox reads it from `value`.
 */
export const ASSUMPTIONS = {
  ...ABOUT_REQUESTS,
  ...ABOUT_PAYMENTS,
  ...ABOUT_DELIVERIES,
} as const satisfies Record<string, Assumption & { value: unknown }>;
