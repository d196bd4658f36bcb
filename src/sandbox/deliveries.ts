import { ConfigurationError } from "../errors/configuration.ts";
import { signWebhook } from "../webhooks/signature.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import { nextName } from "./random.ts";
import type { Delivery, DeliveryAttempt, StoredDelivery } from "./state.ts";
import { timestampOf } from "./time.ts";
import { clearTimeout, setTimeout } from "./timers.ts";
import { randomOf, type World } from "./world.ts";

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

function whyFailed(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown } };
  return [message ?? error, cause?.code].filter(Boolean).map(String).join(": ");
}

async function post(delivery: Delivery, deliver: Deliver, timeoutMs: number): Promise<Reply> {
  const controller = new AbortController();
  const request = async (): Promise<Reply> => {
    const response = await deliver(
      new Request(delivery.url, {
        method: "POST",
        body: delivery.body,
        headers: {
          "content-type": "application/json",
          "x-service-signature": delivery.signature,
          [DELIVERY_HEADER]: delivery.id,
        },
        redirect: "manual",
        signal: controller.signal,
      }),
    );
    // Read to its end, so that the connection can serve the next one.
    await response.arrayBuffer();
    return { status: response.status };
  };
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ error: `no answer within ${timeoutMs} ms` });
      controller.abort();
    }, timeoutMs);
    request()
      .catch((error: unknown) => ({ error: whyFailed(error) }))
      .then((reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
  });
}

const viewOf = ({ tries: _, ...delivery }: StoredDelivery): Delivery => structuredClone(delivery);

export function createCourier(world: () => World, deliver: Deliver, timeoutMs: number): Courier {
  /** Attempts under way; those made in turn with the id of their delivery. */
  const flights = new Map<Promise<void>, string | undefined>();

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
    afterwards: () => void,
  ): Promise<void> {
    const { clock, generation } = world();
    const sentAt = clock.ms();
    const flight: Promise<void> = post(delivery, deliver, timeoutMs).then((reply) => {
      flights.delete(flight);
      // The world was reset or replaced meanwhile: this delivery is no longer in it.
      if (world().generation !== generation) return;
      const latencyMs = clock.ms() - sentAt;
      delivery.attempts.push({ at: timestampOf(sentAt), ...reply, latencyMs });
      if (reply.status === 200) delivery.state = "delivered";
      else afterwards();
    });
    flights.set(flight, inTurn ? delivery.id : undefined);
    return flight;
  }

  function attemptInTurn(delivery: StoredDelivery): void {
    delivery.tries++;
    void attempt(delivery, true, () => {
      // Somebody may have resent it meanwhile, and it arrived.
      if (delivery.state !== "pending") return;
      const inMs = ASSUMPTIONS.deliverySchedule.value[delivery.tries - 1];
      if (inMs === undefined) delivery.state = "failed";
      else world().clock.schedule(inMs, { kind: "deliver", delivery: delivery.id });
    });
  }

  return {
    all: () => world().state.deliveries.map(viewOf),
    settled: async () => {
      while (flights.size > 0) await Promise.all(flights.keys());
    },
    resend: async (id) => {
      const delivery = find(id);
      await attempt(delivery, false, () => {});
      return viewOf(delivery);
    },
    retry: (id) => {
      const delivery = find(id);
      if (delivery.state === "pending") attemptInTurn(delivery);
    },
    emit: (event, data) => {
      const { state, clock } = world();
      const body = JSON.stringify({ event, timestamp: timestampOf(clock.ms()), data });
      for (const { url, events } of state.webhooks) {
        if (!events.includes(event)) continue;
        const delivery: StoredDelivery = {
          id: `dlv_${nextName(randomOf(world()), "token", 12)}`,
          event,
          url,
          body,
          signature: signWebhook(body, state.webhookSecret),
          state: "pending",
          attempts: [],
          tries: 0,
        };
        state.deliveries.push(delivery);
        attemptInTurn(delivery);
      }
    },
    inFlight: () => [...flights.values()].filter((id) => id !== undefined),
    forget: () => flights.clear(),
  };
}
