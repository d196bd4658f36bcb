import { isObject } from "../../internal/is-object.ts";
import type { Counts, RedeliveryShape, ServiceProfile } from "../../profile/profile-types.ts";
import { isClosedValue } from "../../profile/vocabulary/names.ts";
import { type DeliverySeen, headerValue, parseBody } from "../observed.ts";
import { type Additions, headersOf } from "./additions.ts";
import { type SentPayments, shapeOf } from "./shape.ts";

/** The waits that services use, in seconds: round numbers, and powers of two. */
const USUAL = [
  ...[0.01, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75],
  ...[1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 18, 20, 25, 30, 32, 35, 40, 45, 50, 60],
  ...[64, 75, 80, 90, 100, 120, 128, 150, 180, 200, 240, 256, 300, 360, 420, 480, 512, 600, 720],
  ...[900, 1_000, 1_024, 1_200, 1_500, 1_800, 2_048, 2_400, 2_700, 3_000, 3_600, 5_400, 7_200],
  ...[10_800, 14_400, 18_000, 21_600, 28_800, 36_000, 43_200, 64_800, 86_400, 172_800, 259_200],
];

/** The longest usual wait that a gap may be, if the network made it longer by at most this part. */
const usualWithin = (gap: number, part: number): number | undefined =>
  USUAL.findLast((usual) => usual <= gap * 1.005 && gap <= usual * (1 + part));

/** How much longer than the wait of the service a gap may be. */
const SURELY = 0.02;
const PROBABLY = 0.12;

/**
 * A gap between two deliveries, as a profile has it. It is the wait of the service and what the network
 * took, so the usual wait just below it is taken; otherwise two digits of it.
 */
export function roundGap(seconds: number): string {
  const gap = Math.max(seconds, 0);
  const sure = usualWithin(gap, SURELY);
  if (sure !== undefined) return String(sure);
  const whole = Math.round(gap);
  if (gap < 100 && whole > 0 && Math.abs(gap - whole) < gap * 0.005) return String(whole);
  return String(usualWithin(gap, PROBABLY) ?? Number(Number(gap.toPrecision(2)).toFixed(3)));
}

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
    const redeliveries = this.#redelivery(
      hashText(deliveryIdentity(kind, value, text)),
      delivery,
      one,
    );
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
function deliveryIdentity(kind: string, { data }: Record<string, unknown>, text: string): string {
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
