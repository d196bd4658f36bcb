import { sha256Hex } from "#hmac";
import type { WebhookEvent } from "../contract/events.ts";

/** JSON in which the order of fields makes no difference. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const isName = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || Number.isFinite(value);

/** What an event is known by again. */
export interface EventIdentity {
  /** The same for every delivery of the event. */
  readonly key: string;
  /** The same for every faithful repeat of it. */
  readonly digest: string;
}

/**
 * The identity of an event: its kind with `data.reference`, else with `data.payment_id`, else the
 * digest of the raw bytes. A changed `timestamp` makes no other event and no conflict.
 *
 * @see Service interface, section 6.8.
 */
export function identityOf({ event, data }: WebhookEvent, raw: string | Uint8Array): EventIdentity {
  const { reference, payment_id } = data;
  // As JSON, so that no reference can be mistaken for another's kind, nor "1" for 1.
  const name = isName(reference)
    ? ["reference", reference]
    : isName(payment_id)
      ? ["payment_id", payment_id]
      : ["raw", sha256Hex(raw)];
  return { key: sha256Hex(JSON.stringify([event, ...name])), digest: sha256Hex(canonical(data)) };
}
