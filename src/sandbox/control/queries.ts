import { formatTimestamp, timerOf } from "../clock.ts";
import { deliveryQueues, deliveryView, hasFailed } from "../deliveries/deliveries.ts";
import { lastFailure } from "../deliveries/failure-reason.ts";
import type { ServerContext } from "../http/respond.ts";
import { readNumber } from "../serializer/serializer.ts";
import type { StoredDelivery } from "../state/stored.ts";

interface ControlQuery {
  /** What it reads, in one sentence. */
  readonly summary: string;
  /** The names in the query that it takes. */
  readonly query?: readonly string[];
  read(server: ServerContext, query: URLSearchParams): object;
}

/** What the control API reads, by its path. */
export const QUERIES: Readonly<Record<string, ControlQuery>> = {
  "/status": {
    summary: "Keys, secret, clock, and how much there is of everything.",
    read: (server) => ({
      ...readClock(server),
      keys: server.sandbox.keys,
      webhook_secret: server.sandbox.webhookSecret,
      payments: server.sandboxState.state.payments.length,
      deliveries: server.sandboxState.state.deliveries.length,
      queues: deliveryQueues(server.sandboxState.state),
    }),
  },
  "/clock": { summary: "The sandbox's time.", read: readClock },
  "/deliveries": {
    summary:
      "Webhook deliveries, newest first, with their attempts and the likely cause of a failure.",
    query: ["state", "payment", "limit"],
    read: listDeliveries,
  },
  "/requests": {
    summary:
      "The latest requests to the service and its responses, newest first. Keys are shortened.",
    query: ["limit"],
    read: ({ log }, query) => ({ requests: log.latest().slice(0, limitIn(query)) }),
  },
  "/faults": {
    summary: "The faults that are active, and the rates of chaos.",
    read: ({ sandboxState }) => ({
      faults: sandboxState.state.faults,
      chaos: sandboxState.state.chaos && {
        seed: sandboxState.state.chaos.seed,
        ...sandboxState.state.chaos.rates,
      },
    }),
  },
  "/scenes": {
    summary: "The states that were saved under a name.",
    read: ({ scenes }) => ({
      scenes: [...scenes].map(([name, { savedAt }]) => ({ name, savedAt })),
    }),
  },
  "/snapshot": {
    summary: "The whole state as JSON, for `restore` of this or another sandbox.",
    read: ({ sandbox }) => sandbox.snapshot(),
  },
};

function readClock({ sandboxState, clock }: ServerContext): object {
  return { now: formatTimestamp(sandboxState.clock.ms()), clock };
}

/** Whether a delivery is about the payment with this reference. */
function isAbout({ body }: StoredDelivery, payment: string): boolean {
  if (!body.includes(JSON.stringify(payment))) return false;
  const { data } = JSON.parse(body) as { data?: { reference?: unknown } };
  return data?.reference === payment;
}

/** The likely cause, if its last attempt failed. */
function causeOf(delivery: StoredDelivery, clock: ServerContext["clock"]): object {
  const cause = hasFailed(delivery) ? lastFailure(delivery, clock) : undefined;
  return cause === undefined ? {} : { cause };
}

/** `?state=failed&payment=PAY-1&limit=20`: the newest first. */
function listDeliveries({ sandboxState, clock }: ServerContext, query: URLSearchParams): object {
  const { deliveries, timers } = sandboxState.state;
  const [state, payment] = [query.get("state"), query.get("payment")];
  const limit = limitIn(query);
  const nextAttempt = ({ id }: StoredDelivery) => {
    const timer = timerOf(timers, (task) => task.kind === "deliver" && task.delivery === id);
    return timer === undefined ? {} : { nextAttemptAt: formatTimestamp(timer.at) };
  };
  const matching = deliveries.filter(
    (delivery) =>
      (state === null || delivery.state === state) &&
      (payment === null || isAbout(delivery, payment)),
  );
  return {
    deliveries: matching
      .slice(-limit)
      .reverse()
      .map((delivery) => ({
        ...deliveryView(delivery),
        ...nextAttempt(delivery),
        ...causeOf(delivery, clock),
      })),
    total: matching.length,
    now: formatTimestamp(sandboxState.clock.ms()),
    queues: deliveryQueues(sandboxState.state),
  };
}

/** @throws {ErrorResponse} */
const limitIn = (query: URLSearchParams) => readNumber(query, "limit", { fallback: 20 });
