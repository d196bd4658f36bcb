import { endpointFor } from "../../contract/endpoints.ts";
import type { World } from "../state/world.ts";
import type { Exchange, Watcher } from "./watch.ts";

/** A request and its answer as they went over the wire, keys shortened. */
export interface LoggedExchange {
  /** Counts up. */
  readonly id: number;
  readonly at: number;
  /** `POST /payments/initiate`. */
  readonly line: string;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  readonly requestBody: string;
  /** `undefined`: no answer went out. */
  readonly status: number | undefined;
  readonly responseHeaders: readonly (readonly [name: string, value: string])[];
  readonly responseBody: string;
  readonly fault: string | undefined;
}

/** What went over the wire lately. Bounded: a sandbox may run for days. */
export interface ExchangeLog {
  /** Those that started or read a payment: the first, and the last few. */
  forPayment(reference: string): readonly LoggedExchange[];
  /** The last that were turned away or met a fault, newest first. */
  failures(): readonly LoggedExchange[];
  stop(): void;
}

const MOST_PAYMENTS = 1_000;
const MOST_OF_ONE = 6;
const MOST_REFUSED = 30;
const MOST_CHARACTERS = 8_192;

const clip = (text: string) =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters in all)`;

/** A log is read over shoulders, and pasted: a key in it is told by its beginning. */
const shortened = ([name, value]: readonly [string, string]) =>
  [
    name,
    /^(x-api-key|authorization|cookie)$/i.test(name)
      ? value.replace(/(\S{0,10})\S*$/, "$1…")
      : clip(value),
  ] as const;

function loggedOf({ at, request, response: reply, fault }: Exchange, id: number): LoggedExchange {
  const query = request.query.toString();
  return {
    id,
    at,
    line: clip(`${request.method} ${request.path}${query && `?${query}`}`),
    requestHeaders: [...request.headers()].map(shortened),
    requestBody: clip(request.body),
    status: reply?.status,
    responseHeaders: Object.entries(reply?.headers ?? {}),
    responseBody: clip(reply?.body ?? ""),
    fault: fault ?? reply?.headers["x-sandbox-fault"],
  };
}

/** The payment that an exchange is about. */
function referenceIn({ request, response: reply }: Exchange): string | undefined {
  const row = endpointFor(request.method, request.path);
  if (row?.name === "payments.get") return row.params[0];
  if (row?.endpoint.path.includes("payment") !== true || reply?.status !== 200) return undefined;
  try {
    const { data } = JSON.parse(reply.body) as { data?: { reference?: unknown } };
    return typeof data?.reference === "string" ? data.reference : undefined;
  } catch {
    return undefined;
  }
}

/** Begins to write down what goes over the wire. */
export function logExchanges(world: World): ExchangeLog {
  let { generation } = world;
  let count = 0;
  const payments = new Map<string, LoggedExchange[]>();
  const refused: LoggedExchange[] = [];

  /** What happened in a world that was replaced is no longer true. */
  function forget(): void {
    if (generation === world.generation) return;
    generation = world.generation;
    payments.clear();
    refused.length = 0;
  }

  function keep(reference: string, exchange: LoggedExchange): void {
    const kept = payments.get(reference) ?? [];
    kept.push(exchange);
    // The first is the one that started it.
    if (kept.length > MOST_OF_ONE) kept.splice(1, 1);
    payments.set(reference, kept);
    const [oldest] = payments.keys();
    if (payments.size > MOST_PAYMENTS && oldest !== undefined) payments.delete(oldest);
  }

  const watcher: Watcher = {
    changed: () => {},
    exchanged: (exchange) => {
      forget();
      const logged = loggedOf(exchange, ++count);
      const reference = referenceIn(exchange);
      if (reference !== undefined && world.payments.has(reference)) keep(reference, logged);
      if (logged.fault === undefined && (logged.status ?? 500) < 400) return;
      refused.unshift(logged);
      refused.length = Math.min(refused.length, MOST_REFUSED);
    },
  };
  world.watchers.add(watcher);
  return {
    forPayment: (reference) => {
      forget();
      return payments.get(reference) ?? [];
    },
    failures: () => {
      forget();
      return refused;
    },
    stop: () => world.watchers.delete(watcher),
  };
}
