import { createHash } from "node:crypto";

/** What a durable store keeps of the parameters: enough to tell them apart, no customer's data. */
export const digestOf = (parameters: string): string =>
  createHash("sha256").update(parameters).digest("hex");
