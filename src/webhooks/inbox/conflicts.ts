import { sha256Hex } from "#hmac";
import type { NewDelivery } from "./types.ts";

/** The id of a conflict: deliveries of one event differ in their digests. */
export const conflictIdOf = ({ key, digest }: Pick<NewDelivery, "key" | "digest">): string =>
  `${key}-${digest}`;

export function partsOfConflictId(id: string): { key: string; digest: string } {
  const [, key = "", digest = ""] = /^([^-]+)-([^-]+)$/.exec(id) ?? [];
  return { key, digest };
}

/**
 * A conflict that is processed is a separate event: its idempotency key is not that of the first. A
 * person wants it processed, whatever spoke against it when it was received.
 */
export const asOwnEvent = (delivery: NewDelivery): NewDelivery => ({
  ...delivery,
  key: sha256Hex(conflictIdOf(delivery)),
  formerKey: undefined,
  deadLetterReason: undefined,
});
