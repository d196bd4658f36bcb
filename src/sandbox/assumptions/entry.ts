import type { Rule } from "../../profile/rules/finding.ts";

/** How a profile of your service decides an assumption, and what it then changes in the sandbox. */
export interface Learnable {
  /** @internal */
  readonly rule: Rule;
  /** What a sandbox with the profile does in another way. */
  readonly knob: string;
}

/** Why an assumption cannot be learned. */
export interface NotLearnable {
  readonly never: string;
}

/** One choice that the sandbox made because the interface of the service is silent. */
export interface Assumption {
  /** What the interface does not show. */
  readonly about: string;
  /** What the sandbox does. */
  readonly choice: string;
  /** Why. */
  readonly reason: string;
  /** How your service decides it, or why it cannot. */
  readonly learn: Learnable | NotLearnable;
}

export const entry = <const Value = undefined>(
  about: string,
  choice: string,
  reason: string,
  learn: Learnable | NotLearnable,
  value?: Value,
) => ({ about, choice, reason, value: value as Value, learn });

/** What a sandbox does that a service has no counterpart of. */
export const ONLY_SANDBOX: NotLearnable = {
  never: "it is a tool of the sandbox: a service has nothing like it",
};

export const MINUTE_MS = 60_000;
