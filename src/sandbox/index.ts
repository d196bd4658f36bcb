/**
 * A whole gateway, in process or over HTTP.
 *
 * @module malipo/sandbox
 */

export type { Duration } from "../internal/duration.ts";
export { ASSUMPTIONS, type Assumption, type Learnable, type NotLearnable } from "./assumptions.ts";
export type { Clock } from "./clock/scheduler.ts";
export type { Deliveries } from "./deliveries/deliveries.ts";
export { CounterexampleError } from "./explore/counterexample.ts";
export { type ExploreOptions, explore } from "./explore/explore.ts";
export type { Explorable } from "./explore/run.ts";
export type { Chaos, ChaosOptions } from "./faults/chaos.ts";
export type { FaultOptions } from "./faults/fault-options.ts";
export type { Faults } from "./faults/faults.ts";
export type { Activity } from "./observe/activity.ts";
export type { Deliver, SandboxOptions } from "./options.ts";
export type { Phone, Prompt, SandboxPayment } from "./payments/phone.ts";
export { createSandbox } from "./sandbox.ts";
export type { KeyOptions } from "./state/keys.ts";
export { MAGIC_SUFFIXES } from "./state/prompt-outcomes.ts";
export type {
  AutoAnswer,
  Delivery,
  DeliveryAttempt,
  DeliveryChaos,
  FaultEffect,
} from "./state/records.ts";
export type { Sandbox, SandboxSnapshot, ServedSandbox, ServeOptions } from "./types.ts";
