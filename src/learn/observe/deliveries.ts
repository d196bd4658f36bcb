import { isObject } from "../../internal/is-object.ts";
import type { DeliveryShape, EventShape, RedeliveryShape } from "../../profile/types.ts";
import { isClosedValue } from "../../profile/vocabulary/closed-values.ts";
import type { DeliverySeen } from "../exchange.ts";
import { at, count, countAt, type Draft, type DraftCounts } from "./draft.ts";
import { hashText } from "./hash.ts";
import { addHeaders } from "./headers.ts";
import { parseBody } from "./parse-body.ts";
import type { SentPayments } from "./repeated.ts";
import { roundGap } from "./round-gap.ts";
import { addBody } from "./shape.ts";

/** The last delivery of an event: in memory only, never in a profile. */
interface LastDelivery {
  readonly number: number;
  readonly at: number;
  readonly status: number;
}

const MAX_REMEMBERED = 1_000;
const MAX_REDELIVERIES = 30;
const MAX_KINDS = 60;

interface DeliveryTarget {
  readonly deliveries: Draft<DeliveryShape>;
  readonly events: { [kind: string]: Draft<EventShape> };
  readonly timestamps: { [form: string]: DraftCounts };
  readonly run: string;
  readonly payments: SentPayments;
}

/** Learns from deliveries. It remembers the last thousand events, to see which come again. */
export class DeliveryObserver {
  readonly #last = new Map<number, LastDelivery>();

  add(target: DeliveryTarget, delivery: DeliverySeen): void {
    const { deliveries, events, timestamps, run, payments } = target;
    const text =
      typeof delivery.body === "string" ? delivery.body : new TextDecoder().decode(delivery.body);
    const body = parseBody(text);
    const value = body.kind === "json" && isObject(body.value) ? body.value : {};
    const headers = [...delivery.headers];
    count(deliveries.seen, run);
    addHeaders(deliveries.headers, headers, run);
    addPrefix(deliveries, headers, run);
    const kind = String(value.event);
    const isNew = !Object.hasOwn(events, kind);
    if (
      kind !== kind.toLowerCase() ||
      !isClosedValue(kind) ||
      (isNew && Object.keys(events).length >= MAX_KINDS)
    )
      return;
    const event = at<Draft<EventShape>>(events, kind, () => ({ seen: {}, body: {} }));
    count(event.seen, run);
    const known = payments.of(value);
    addBody(
      { shape: event.body, run, timestamps, known, keepsValues: true, hasStates: true },
      body,
    );
    this.#addRedelivery(
      deliveries.redeliveries,
      hashText(identityOf(kind, value, text)),
      delivery,
      run,
    );
  }

  #addRedelivery(
    redeliveries: { [number: string]: Draft<RedeliveryShape> },
    identity: number,
    { receivedAt, status }: DeliverySeen,
    run: string,
  ): void {
    const last = this.#last.get(identity);
    const number = last === undefined ? 0 : last.number + 1;
    // Deleted first, so that the events that were not delivered for the longest are forgotten.
    this.#last.delete(identity);
    this.#last.set(identity, { number, at: receivedAt, status });
    if (this.#last.size > MAX_REMEMBERED) {
      this.#last.delete(this.#last.keys().next().value as number);
    }
    if (last === undefined || number > MAX_REDELIVERIES) return;
    const redelivery = at<Draft<RedeliveryShape>>(redeliveries, String(number), () => ({
      gaps: {},
      after: {},
    }));
    countAt(redelivery.gaps, roundGap((receivedAt - last.at) / 1_000), run);
    countAt(redelivery.after, String(last.status), run);
  }
}

function addPrefix(
  { signaturePrefixes }: Draft<DeliveryShape>,
  headers: readonly (readonly [string, string])[],
  run: string,
): void {
  const found = headers.find(([name]) => name.toLowerCase() === "x-service-signature");
  if (found === undefined) return;
  countAt(signaturePrefixes, /^sha256=/i.test(found[1]) ? "sha256=" : "none", run);
}

/** What duplicates of an event have in common. */
function identityOf(kind: string, { data }: Record<string, unknown>, text: string): string {
  const { reference, payment_id, id } = isObject(data) ? data : {};
  const found = reference ?? payment_id ?? id;
  return typeof found === "string" || typeof found === "number"
    ? JSON.stringify([kind, found])
    : text;
}
