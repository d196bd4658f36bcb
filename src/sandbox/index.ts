export { ASSUMPTIONS, type Assumption } from "./assumptions.ts";
export type { Clock } from "./clock.ts";
export type { Deliver, Deliveries } from "./deliveries.ts";
export type { FaultEffect, FaultOptions, Faults } from "./faults.ts";
export { MAGIC_SUFFIXES } from "./outcomes.ts";
export type { Phone, Prompt, SandboxPayment } from "./phone.ts";
export {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxSnapshot,
} from "./sandbox.ts";
export type { ServedSandbox } from "./serve.ts";
export type { Delivery, DeliveryAttempt, StandingAnswer } from "./state.ts";
export type { Duration } from "./time.ts";
