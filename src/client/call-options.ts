import type { Endpoint } from "../contract/endpoints.ts";
import {
  type CheckedOptions,
  checkMilliseconds,
  checkOptions,
  type OptionRows,
  optional,
} from "../internal/check-options.ts";
import { sendBeforeOf } from "./http/send-before.ts";
import type { CallOptions, CreateOptions } from "./options.ts";
import { LIMIT_OPTIONS } from "./settings.ts";

const CALL_OPTIONS = {
  signal: (signal) => signal,
  timeoutMs: (ms) => optional(ms, LIMIT_OPTIONS.timeoutMs),
  totalTimeoutMs: (ms) => optional(ms, LIMIT_OPTIONS.totalTimeoutMs),
  maxRetries: (count) => optional(count, LIMIT_OPTIONS.maxRetries),
  /** Checked when the request is made. */
  headers: (headers) => headers,
} satisfies OptionRows<CallOptions>;

const CREATE_OPTIONS = {
  ...CALL_OPTIONS,
  /** Checked when the call is made, with the name of the endpoint. */
  idempotencyKey: (key) => key,
  idempotencyWaitMs: (ms) =>
    optional(ms, (given) => (given === 0 ? given : checkMilliseconds("idempotencyWaitMs", given))),
  sendBefore: (given) => optional(given, sendBeforeOf),
} satisfies OptionRows<CreateOptions>;

/** The options of a call, checked. */
export type CheckedCall = Partial<CheckedOptions<typeof CREATE_OPTIONS>>;

const EFFECTS = { read: "reads", idempotent: "may be repeated" } as const;

/** @throws {ConfigurationError} for an option that calls of this kind do not have, or a wrong value. */
export const checkCallOptions = ({ effect }: Endpoint, options: CreateOptions): CheckedCall =>
  effect === "create"
    ? checkOptions(options, CREATE_OPTIONS, "A call")
    : checkOptions<CallOptions, typeof CALL_OPTIONS>(
        options,
        CALL_OPTIONS,
        `A call that ${EFFECTS[effect]}`,
      );
