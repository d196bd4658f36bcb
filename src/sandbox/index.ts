/**
 * A whole gateway, in process or on HTTP.
 *
 * @module malipo/sandbox
 */

export type { Activity } from "./activity.ts";
export { ASSUMPTIONS, type Assumption } from "./assumptions.ts";
export type { Chaos, ChaosOptions, DeliveryChaos } from "./chaos.ts";
export type { Clock } from "./clock.ts";
export { CounterexampleError } from "./counterexample.ts";
export type { Deliver, Deliveries } from "./deliveries.ts";
export { type ExploreOptions, explore } from "./explore.ts";
export type { Explorable } from "./explore-run.ts";
export type { FaultEffect, FaultOptions, Faults } from "./faults.ts";
export type { SandboxOptions } from "./options.ts";
export { MAGIC_SUFFIXES } from "./outcomes.ts";
export type { Phone, Prompt, SandboxPayment } from "./phone.ts";
export {
  createSandbox,
  type Sandbox,
  type SandboxSnapshot,
} from "./sandbox.ts";
export type { ServedSandbox } from "./serve.ts";
export type { Delivery, DeliveryAttempt, StandingAnswer } from "./state.ts";
export type { Duration } from "./time.ts";
