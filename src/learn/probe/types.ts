import type { ServiceProfile } from "../../profile/types.ts";
import type { Step } from "./steps/step.ts";

/** What a probe is to do, checked. */
export interface ProbeOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly publicKey: string | undefined;
  readonly phone: string | undefined;
  readonly steps: readonly Step[];
  /** Ends the probe. What it created is still deleted. */
  readonly signal: AbortSignal;
  readonly onStep: (result: StepResult) => void;
  readonly notify: (message: string) => void;
}

/** What became of one step of the plan. */
interface StepResult {
  readonly step: Step;
  /** `undefined`: the step was left out. */
  readonly status?: number;
  /** Why it was left out. */
  readonly skipped?: string;
}

export interface ProbeResult {
  readonly profile: ServiceProfile;
  readonly requests: number;
  /** What could not be learned, and why. */
  readonly missing: readonly string[];
  /** What the probe created and could not delete. */
  readonly left: readonly string[];
}
