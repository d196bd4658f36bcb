import type { RejectionCause } from "../../../profile/causes.ts";
import type { CreatedKind } from "../find-ids.ts";
import type { Template, ValueName } from "../values.ts";

/** The parts of a probe in their order, with their titles in the plan. */
export const PARTS = {
  reads: "Reads",
  rejections: "Rejections that cost nothing",
  prompt: "A payment",
  write: "An invoice and a webhook",
  // While what was created is there, so that lists have items.
  paging: "Paging, one question a request",
  deletion: "Their deletion, also if an earlier step fails",
  "after deletion": "What is left of them",
} as const;

export type Part = keyof typeof PARTS;

/** Which key a request carries. `unknown` is one that the service cannot know. */
type StepKey = "own" | "public" | "unknown" | "none";

/** One request of the probe, as the plan has it: a template is left out while a value is missing. */
export interface StepRow extends Template {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly origin?: string;
  /** @default "own" */
  readonly key?: StepKey;
  /** What the profile learns from the response, as the plan prints it. */
  readonly learns: string;
  /** What is wrong with the request, on purpose. */
  readonly cause?: RejectionCause;
  /** The path that the key must be able to read, so that the cause is the only one. */
  readonly reads?: string;
  /** The values that the response provides. */
  readonly provides?: readonly ValueName[];
  /** What the request creates at the service. It is deleted again. */
  readonly creates?: CreatedKind;
  /** It finds out which of the ids of what was created the service accepts. */
  readonly confirms?: CreatedKind;
  /** `start`: it starts a payment, whose outcome must be known. `follow`: asked until that is final. */
  readonly payment?: "start" | "follow";
  /** What the query asks of a list. It is left out once that is known. */
  readonly asks?: "size" | "longest" | "position";
}

/** A row of the plan in its part. */
export interface Step extends StepRow {
  readonly part: Part;
}
