// What `gateway.idempotency` loads when it is first used.

export { fromStore, listAttempts } from "./attempts.ts";
export { lookForAttempt } from "./look-for-attempt.ts";
export { candidateOf } from "./match-payments.ts";
export { otherCompletedPayments } from "./other-payments.ts";
export { resolveAttempt } from "./resolve-attempt.ts";
export {
  checkResolveUnknownOptions,
  resolveByCandidate,
  resolveUnknown,
} from "./resolve-unknown.ts";
