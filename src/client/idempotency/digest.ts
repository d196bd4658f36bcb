import { createHash } from "node:crypto";

/** What a durable store keeps of the parameters: they hold the customer's phone, the digest does not. */
export const digestOf = (parameters: string): string =>
  createHash("sha256").update(parameters).digest("hex");
