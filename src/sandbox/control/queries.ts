import { formatTimestamp } from "../clock/time.ts";
import { deliveryView } from "../deliveries/deliveries.ts";
import { deliveryQueues } from "../deliveries/queue.ts";
import type { Host } from "../http/host.ts";
import type { StoredDelivery } from "../state/records.ts";
import { ControlError } from "./control-error.ts";

const DEFAULT_LIMIT = "20";

/** What the control API reads, by its path. */
export const QUERIES: Readonly<Record<string, (host: Host, query: URLSearchParams) => object>> = {
  "/status": readStatus,
  "/clock": readClock,
  "/deliveries": listDeliveries,
};

function readClock({ world, clock }: Host): object {
  return { now: formatTimestamp(world.clock.ms()), clock };
}

function readStatus(host: Host): object {
  const { sandbox, world } = host;
  const { payments, deliveries } = world.state;
  return {
    ...readClock(host),
    keys: sandbox.keys,
    webhook_secret: sandbox.webhookSecret,
    payments: payments.length,
    deliveries: deliveries.length,
    queues: deliveryQueues(world.state),
  };
}

/** `?state=failed&limit=20`: the newest first. */
function listDeliveries({ world }: Host, query: URLSearchParams): object {
  const { deliveries, timers } = world.state;
  const state = query.get("state");
  const limit = query.get("limit") ?? DEFAULT_LIMIT;
  if (!/^[1-9]\d{0,5}$/.test(limit)) {
    throw new ControlError(422, "limit: expected a whole number from 1 to 999999");
  }
  const nextAttempt = ({ id }: StoredDelivery) => {
    const timer = timers.find(({ task }) => task.kind === "deliver" && task.delivery === id);
    return timer === undefined ? {} : { nextAttemptAt: formatTimestamp(timer.at) };
  };
  const matching = deliveries.filter((delivery) => state === null || delivery.state === state);
  return {
    deliveries: matching
      .slice(-Number(limit))
      .reverse()
      .map((delivery) => ({ ...deliveryView(delivery), ...nextAttempt(delivery) })),
    total: matching.length,
    queues: deliveryQueues(world.state),
  };
}
