import { sha256Hex } from "#hmac";
import type { WebhookEvent } from "../../../contract/events.ts";
import { canonicalJson } from "../../../internal/json.ts";
import type { ReadEvent } from "../../verification/payload.ts";
import { decisiveData } from "./decisive-fields.ts";
import { exactData } from "./exact-data.ts";

// A number above 2^53 was rounded by the parser, and may be the number of another payment too.
const isUsableId = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

/** What duplicates of an event are recognised by. */
export interface EventIdentity {
  /** The same for every delivery of the event. */
  readonly key: string;
  /** The key without the last of the {@link IdentityParts}; `undefined` without any. */
  readonly formerKey: string | undefined;
  /** The same for every delivery with the same data: see {@link decisiveData}. */
  readonly digest: string;
}

/** What tells an event from others, beside its own fields. */
export interface IdentityParts {
  /** The user's own, instead of the reference. */
  readonly identity?: string | undefined;
  /** Whose event it is: two merchants may have the same references. */
  readonly merchant?: string | undefined;
}

/**
 * The identity of an event: its kind with `data.reference`, or with `data.payment_id`, or with the
 * digest of the raw bytes; or its kind with the `identity` of the user. A changed `timestamp`
 * makes neither another event nor a conflict.
 *
 * @see docs/service.md, "Events and deliveries"
 */
export function identityOf(
  { event, text }: ReadEvent,
  raw: string | Uint8Array,
  { identity, merchant }: IdentityParts = {},
): EventIdentity {
  const id = idOf(event.data, raw);
  const ofIdentity = identity === undefined ? id : (["identify", identity] as const);
  const ofMerchant = merchant === undefined ? [] : ["merchant", merchant];
  // As JSON, so that `1` and `"1"` differ, and no reference can be read as part of a kind.
  const keyOf = (...parts: readonly unknown[]) =>
    sha256Hex(JSON.stringify([event.event, ...parts]));
  let formerKey: string | undefined;
  if (identity !== undefined) formerKey = keyOf(...id, ...ofMerchant);
  else if (merchant !== undefined) formerKey = keyOf(...id);
  const data = decisiveData(event.event, id[0] === "raw" ? "" : id[1], exactData(event, text));
  return {
    key: keyOf(...ofIdentity, ...ofMerchant),
    formerKey,
    digest: sha256Hex(canonicalJson(data)),
  };
}

function idOf(
  { reference, payment_id }: WebhookEvent["data"],
  raw: string | Uint8Array,
): readonly [name: string, id: unknown] {
  if (isUsableId(reference)) return ["reference", reference];
  if (isUsableId(payment_id)) return ["payment_id", payment_id];
  return ["raw", sha256Hex(raw)];
}
