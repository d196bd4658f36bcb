import { sha256Hex } from "#hmac";
import { encodeText, textDecoder } from "../../internal/utf8.ts";
import type { NewDelivery, TraceContext } from "./inbox-types.ts";

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

/** The header that says whose event it is, with a receiver for many merchants. */
export const MERCHANT = "malipo-merchant";

/** Whose event it is; `undefined` if the receiver is for one account. */
export const merchantOf = (context: TraceContext | undefined): string | undefined =>
  context?.[MERCHANT];

/** The bytes of a stored text. */
export const bytesOf = (text: string): Uint8Array => encodeText(text);

/** The text of verified bytes, which is encoded as the same bytes again: a byte order mark stays. */
export const exactText = (raw: Uint8Array): string => textDecoder({ ignoreBOM: true }).decode(raw);
