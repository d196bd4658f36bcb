import { ConfigurationError } from "../../errors/configuration.ts";
import { signWebhook } from "../../webhooks/verification/signature.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { clearTimeout, setTimeout } from "../clock/machine.ts";
import { formatTimestamp } from "../clock/time.ts";
import {
  endWait,
  markOf,
  planAttempt,
  planDelivery,
  signatureSent,
  waitingBehind,
} from "../faults/chaos-deliveries.ts";
import { notifyChanged } from "../observe/watch.ts";
import { nextName } from "../state/random.ts";
import type { Delivery, DeliveryAttempt, DeliveryChaos, StoredDelivery } from "../state/records.ts";
import type { World } from "../state/world.ts";
import { createDeliveryQueue } from "./queue.ts";

/** Names the delivery on its way out. The service has no such header: it is for mocks to know it by. */
export const DELIVERY_HEADER = "x-sandbox-delivery";

/** What sends a delivery. */
export type Deliver = (request: Request) => Promise<Response>;

/** The log of all deliveries, and the ways to repeat one. */
export interface Deliveries {
  /** Every delivery so far, oldest first: copies. */
  all(): Delivery[];
  /** Resolves when none is in flight. Those that wait for their retry are not. */
  settled(): Promise<void>;
  /**
   * Sends a delivery once more, now: same body, same signature. Gives the entry with its new attempt.
   *
   * @throws {ConfigurationError} where there is no such delivery.
   */
  resend(id: string): Promise<Delivery>;
}

/** Deliveries as the rest of the sandbox uses them. */
export interface Courier extends Deliveries {
  /** Queues an event for every webhook that lists its kind. The first attempt begins at once. */
  emit(event: string, data: object): void;
  /** Makes the attempt that fell due. */
  retry(id: string): void;
  /** Ids of those whose attempt in turn is under way, the first to begin first. */
  inFlight(): string[];
  /** To be called after the state was replaced: what is under way belongs to no world any more. */
  forget(): void;
}

/** What became of one attempt. */
type Reply = Pick<DeliveryAttempt, "status" | "error">;

/** How much is kept of what a receiver writes, in bytes: enough for a message. */
const ANSWER_BYTES = 2_048;

function whyFailed(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown } };
  return [message ?? error, cause?.code].filter(Boolean).map(String).join(": ");
}

async function post(
  delivery: Delivery,
  deliver: Deliver,
  timeoutMs: number,
  mishaps: readonly DeliveryChaos[],
): Promise<[reply: Reply, answer: string]> {
  if (mishaps.includes("drop")) return [{ error: "lost on its way, by chaos" }, ""];
  const controller = new AbortController();
  const request = async (): Promise<[Reply, string]> => {
    const response = await deliver(
      new Request(delivery.url, {
        method: "POST",
        body: delivery.body,
        headers: {
          "content-type": "application/json",
          "x-service-signature": signatureSent(delivery, mishaps),
          [DELIVERY_HEADER]: delivery.id,
          ...markOf(delivery, mishaps),
        },
        redirect: "manual",
        signal: controller.signal,
      }),
    );
    // Read to its end, so that the connection can serve the next one.
    const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, ANSWER_BYTES);
    return [{ status: response.status }, new TextDecoder().decode(bytes)];
  };
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve([{ error: `no answer within ${timeoutMs} ms` }, ""]);
      controller.abort();
    }, timeoutMs);
    request()
      .catch((error: unknown): [Reply, string] => [{ error: whyFailed(error) }, ""])
      .then((reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
  });
}

/** A delivery as it is shown: a copy. */
export const deliveryView = ({
  tries: _,
  responses: _answers,
  ...delivery
}: StoredDelivery): Delivery => structuredClone(delivery);

export function createCourier(world: () => World, deliver: Deliver, timeoutMs: number): Courier {
  /** Attempts under way; those made in turn with the id of their delivery. */
  const flights = new Map<Promise<void>, string | undefined>();
  const queue = createDeliveryQueue();

  function end(delivery: StoredDelivery, state: "delivered" | "failed"): void {
    queue.leave(delivery);
    delivery.state = state;
  }

  function find(id: string): StoredDelivery {
    const delivery = world().state.deliveries.find((one) => one.id === id);
    if (delivery !== undefined) return delivery;
    throw new ConfigurationError(
      `There is no delivery ${JSON.stringify(id)}. \`sandbox.deliveries.all()\` lists them.`,
    );
  }

  /** Sends once, writes down what came of it, and goes on from there. */
  function attempt(
    delivery: StoredDelivery,
    inTurn: boolean,
    mishaps: readonly DeliveryChaos[],
    afterwards: () => void,
  ): Promise<void> {
    const { clock, generation } = world();
    // The world may be reset or replaced meanwhile: then this delivery is no longer in it.
    const isGone = () => world().generation !== generation;
    const send = async () => {
      if (isGone()) return;
      const sentAt = clock.ms();
      const [reply, answer] = await post(delivery, deliver, timeoutMs, mishaps);
      flights.delete(flight);
      if (isGone()) return;
      const latencyMs = clock.ms() - sentAt;
      delivery.attempts.push({
        at: formatTimestamp(sentAt),
        ...reply,
        latencyMs,
        ...(mishaps.length > 0 && { chaos: [...mishaps] }),
      });
      if (answer !== "") {
        delivery.responses ??= {};
        delivery.responses[delivery.attempts.length - 1] = answer;
      }
      if (reply.status === 200) end(delivery, "delivered");
      afterwards();
      notifyChanged(world().watchers);
    };
    const flight: Promise<void> = queue.inTurn(delivery.url, send).finally(() => {
      flights.delete(flight);
    });
    flights.set(flight, inTurn ? delivery.id : undefined);
    return flight;
  }

  function attemptInTurn(delivery: StoredDelivery): void {
    delivery.tries++;
    const { state } = world();
    const mishaps = planAttempt(state, delivery);
    const waiting = waitingBehind(state, delivery);
    void attempt(delivery, true, mishaps, () => {
      if (waiting !== undefined && endWait(world().state, waiting)) {
        attemptInTurn(find(waiting));
      }
      // It may have arrived, by this attempt or by another.
      if (delivery.state !== "pending") return;
      const inMs = ASSUMPTIONS.deliverySchedule.value[delivery.tries - 1];
      if (inMs === undefined) end(delivery, "failed");
      else world().clock.schedule(inMs, { kind: "deliver", delivery: delivery.id });
    });
    if (mishaps.includes("duplicate")) {
      const again = mishaps.filter((one) => one !== "drop");
      void attempt(delivery, false, again, () => {});
    }
  }

  return {
    all: () => world().state.deliveries.map(deliveryView),
    settled: async () => {
      while (flights.size > 0) await Promise.all(flights.keys());
    },
    resend: async (id) => {
      const delivery = find(id);
      await attempt(delivery, false, [], () => {});
      return deliveryView(delivery);
    },
    retry: (id) => {
      const delivery = find(id);
      if (delivery.state === "pending") attemptInTurn(delivery);
    },
    emit: (event, data) => {
      const { state, clock } = world();
      for (const { url, events } of state.webhooks) {
        if (!events.includes(event)) continue;
        const id = `dlv_${nextName(world().state.random, "token", 12)}`;
        const { chaos, olderMs, waitMs } = planDelivery(state, id, url);
        const timestamp = formatTimestamp(clock.ms() - olderMs);
        const body = JSON.stringify({ event, timestamp, data });
        const delivery: StoredDelivery = {
          id,
          event,
          url,
          body,
          signature: signWebhook(body, state.webhookSecret),
          state: "pending",
          attempts: [],
          tries: 0,
          ...(chaos && { chaos }),
        };
        state.deliveries.push(delivery);
        const error = queue.enter(delivery);
        if (error !== undefined) {
          delivery.state = "failed";
          delivery.attempts.push({ at: formatTimestamp(clock.ms()), error, latencyMs: 0 });
        } else if (waitMs === 0) attemptInTurn(delivery);
        else clock.schedule(waitMs, { kind: "deliver", delivery: id });
      }
    },
    inFlight: () => [...flights.values()].filter((id) => id !== undefined),
    forget: () => {
      flights.clear();
      queue.restart(world().state);
    },
  };
}
