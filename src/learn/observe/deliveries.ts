import { isObject } from "../../internal/is-object.ts";
import type { Counts, RedeliveryShape, ServiceProfile } from "../../profile/types.ts";
import { isClosedValue } from "../../profile/vocabulary/names.ts";
import { type DeliverySeen, headerValue, parseBody } from "../exchange.ts";
import type { Additions } from "./additions.ts";
import { headersOf } from "./headers.ts";
import type { SentPayments } from "./repeated.ts";
import { roundGap } from "./round-gap.ts";
import { shapeOf } from "./shape.ts";

/** The last delivery of an event: in memory only, never in a profile. */
interface LastDelivery {
  readonly number: number;
  readonly at: number;
  readonly status: number;
}

const MAX_REMEMBERED = 1_000;
const MAX_REDELIVERIES = 30;

/** Learns from deliveries. It remembers the last thousand events, to see which come again. */
export class DeliveryObserver {
  readonly #last = new Map<number, LastDelivery>();

  /** @param one - The count of one observation in this run. */
  additionsOf(
    delivery: DeliverySeen,
    one: Counts,
    payments: SentPayments,
  ): Additions<ServiceProfile> {
    const { body } = delivery;
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const parsed = parseBody(text);
    const value = isObject(parsed.value) ? parsed.value : {};
    const signature = headerValue(delivery.headers, "x-service-signature");
    const prefix = signature && (/^sha256=/i.test(signature) ? "sha256=" : "none");
    const deliveries = {
      seen: one,
      headers: headersOf(delivery.headers, one),
      ...(prefix && { signaturePrefixes: { [prefix]: one } }),
    };
    const kind = String(value.event);
    if (kind !== kind.toLowerCase() || !isClosedValue(kind)) return { deliveries };
    const { shape, timestamps } = shapeOf(parsed, {
      one,
      known: payments.of(value),
      keepsValues: true,
      hasStates: true,
    });
    const redeliveries = this.#redelivery(hashText(identityOf(kind, value, text)), delivery, one);
    return {
      deliveries: { ...deliveries, redeliveries },
      events: { [kind]: { seen: one, body: shape } },
      timestamps,
    };
  }

  #redelivery(
    identity: number,
    { receivedAt, status }: DeliverySeen,
    one: Counts,
  ): { readonly [number: string]: RedeliveryShape } {
    const last = this.#last.get(identity);
    const number = last === undefined ? 0 : last.number + 1;
    // Deleted first, so that the events that were not delivered for the longest are forgotten.
    this.#last.delete(identity);
    this.#last.set(identity, { number, at: receivedAt, status });
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_REMEMBERED) this.#last.delete(oldest as number);
    if (last === undefined || number > MAX_REDELIVERIES) return {};
    const gap = roundGap((receivedAt - last.at) / 1_000);
    return { [number]: { gaps: { [gap]: one }, after: { [last.status]: one } } };
  }
}

/** What duplicates of an event have in common. */
function identityOf(kind: string, { data }: Record<string, unknown>, text: string): string {
  const { reference, payment_id, id } = isObject(data) ? data : {};
  const found = reference ?? payment_id ?? id;
  return typeof found === "string" || typeof found === "number"
    ? JSON.stringify([kind, found])
    : text;
}

/** A hash of 53 bits, to see whether two texts are alike. It stays in memory, in no profile. */
function hashText(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return (a >>> 0) * 2_097_152 + ((b >>> 0) & 0x1fffff);
}
