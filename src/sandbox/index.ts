/**
 * A whole gateway, in process or over HTTP.
 *
 * @module malipo/sandbox
 */

export type { Duration } from "../internal/duration.ts";
export { ASSUMPTIONS, type Assumption, type Learnable, type NotLearnable } from "./assumptions.ts";
export type { Clock } from "./clock.ts";
export { createSandbox } from "./create-sandbox.ts";
export type { Deliveries } from "./deliveries/deliveries.ts";
export type { Explorable } from "./explore.ts";
export { CounterexampleError, type ExploreOptions, explore } from "./explore.ts";
export type { Chaos, ChaosOptions } from "./faults/chaos.ts";
export type { FaultOptions, Faults } from "./faults/faults.ts";
export type { Activity } from "./observe/activity.ts";
export type { Phone, Prompt, SandboxPayment } from "./payments/phone.ts";
export type { Deliver, SandboxOptions } from "./sandbox-options.ts";
export type { Sandbox, SandboxSnapshot, ServedSandbox, ServeOptions } from "./sandbox-types.ts";
export { MAGIC_SUFFIXES } from "./state/prompt-outcomes.ts";
export type {
  AutoAnswer,
  Delivery,
  DeliveryAttempt,
  DeliveryChaos,
  FaultEffect,
} from "./state/sandbox-records.ts";
export type { KeyOptions } from "./state/state.ts";
