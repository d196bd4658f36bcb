import { endpointFor } from "../../contract/endpoints.ts";
import type { Exchange, Watcher } from "../messages.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { State } from "../state/stored.ts";

type HeaderPair = readonly [name: string, value: string];

/** A request and its response, as they were sent. Keys are shortened. */
export interface LoggedExchange {
  /** A number that counts up. */
  readonly id: number;
  readonly at: number;
  /** `POST /payments/initiate`. */
  readonly line: string;
  readonly requestHeaders: readonly HeaderPair[];
  readonly requestBody: string;
  /** `undefined`: no response was sent. */
  readonly status: number | undefined;
  readonly responseHeaders: readonly HeaderPair[];
  readonly responseBody: string;
  readonly fault: string | undefined;
  /** Reference of the payment that the request started or read. */
  readonly payment: string | undefined;
}

const MAX_PAYMENTS = 1_000;
const MAX_PER_PAYMENT = 6;
const MAX_FAILURES = 30;
const MAX_LATEST = 200;
const MAX_CHARACTERS = 8_192;

/** The latest requests to a sandbox and its responses. It is bounded, since a sandbox may run for days. */
export class ExchangeLog implements Watcher {
  readonly #sandboxState: SandboxState;
  #state: State;
  #count = 0;
  readonly #byPayment = new Map<string, LoggedExchange[]>();
  // Both have the oldest first.
  readonly #failures: LoggedExchange[] = [];
  readonly #latest: LoggedExchange[] = [];

  constructor(sandboxState: SandboxState) {
    this.#sandboxState = sandboxState;
    this.#state = sandboxState.state;
    sandboxState.watchers.add(this);
  }

  /** The requests that started or read a payment: the first one, and the last few. */
  forPayment(reference: string): readonly LoggedExchange[] {
    this.#forgetReplacedState();
    return this.#byPayment.get(reference) ?? [];
  }

  /** The latest requests, newest first. */
  latest(): readonly LoggedExchange[] {
    this.#forgetReplacedState();
    return this.#latest.toReversed();
  }

  /** The latest requests, and some older ones that were rejected or had a fault, newest first. */
  all(): readonly LoggedExchange[] {
    const latest = this.latest();
    const oldest = latest.at(-1)?.id ?? 0;
    return [...latest, ...this.#failures.toReversed().filter(({ id }) => id < oldest)];
  }

  stop(): void {
    this.#sandboxState.watchers.delete(this);
  }

  exchanged(exchange: Exchange): void {
    // A browser asks before a call: that tells a developer nothing about the call.
    if (exchange.request.method === "OPTIONS") return;
    this.#forgetReplacedState();
    this.#count++;
    const reference = paymentReference(exchange);
    const payment = this.#sandboxState.payments.get(reference ?? "")?.reference;
    const logged = toLogged(exchange, this.#count, payment);
    addTo(this.#latest, logged, MAX_LATEST);
    if (payment !== undefined) this.#addForPayment(payment, logged);
    const isFailure = logged.fault !== undefined || (logged.status ?? 500) >= 400;
    if (isFailure) addTo(this.#failures, logged, MAX_FAILURES);
  }

  #addForPayment(reference: string, logged: LoggedExchange): void {
    const stored = this.#byPayment.get(reference) ?? [];
    // The first one started the payment: it stays.
    addTo(stored, logged, MAX_PER_PAYMENT, 1);
    this.#byPayment.set(reference, stored);
    const [oldest] = this.#byPayment.keys();
    if (this.#byPayment.size > MAX_PAYMENTS && oldest !== undefined) this.#byPayment.delete(oldest);
  }

  /** Requests to a state that was replaced no longer explain anything. */
  #forgetReplacedState(): void {
    if (this.#state === this.#sandboxState.state) return;
    this.#state = this.#sandboxState.state;
    this.#byPayment.clear();
    this.#failures.length = 0;
    this.#latest.length = 0;
  }
}

/** Adds to a list. If that is more than `max`, the one at `index` is removed. */
function addTo(list: LoggedExchange[], one: LoggedExchange, max: number, index = 0): void {
  list.push(one);
  if (list.length > max) list.splice(index, 1);
}

function toLogged(
  { at, request, response, fault }: Exchange,
  id: number,
  payment: string | undefined,
): LoggedExchange {
  const query = request.query.toString();
  return {
    id,
    at,
    line: clip(`${request.method} ${request.path}${query && `?${query}`}`),
    requestHeaders: [...request.headers()].map(withoutKey),
    requestBody: clip(request.body),
    status: response?.status,
    responseHeaders: Object.entries(response?.headers ?? {}),
    responseBody: clip(response?.body ?? ""),
    fault: fault ?? response?.headers["x-sandbox-fault"],
    payment,
  };
}

const clip = (text: string) =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters in all)`;

/** People share logs, so only the beginning of a key is stored: enough to recognise it. */
function withoutKey([name, value]: HeaderPair): HeaderPair {
  const isSecret = /^(x-api-key|authorization|cookie)$/i.test(name);
  if (!isSecret) return [name, clip(value)];
  // The scheme stays: `Bearer sk_sandbox_…`. No pattern that ends in `\S*$`: it is slow for long values.
  const start = value.trimEnd().lastIndexOf(" ") + 1;
  return [name, `${clip(value.slice(0, start))}${value.slice(start, start + 10)}…`];
}

/** The payment that a request started or read. */
function paymentReference({ request, response }: Exchange): string | undefined {
  const match = endpointFor(request.method, request.path);
  if (match?.name === "payments.get") return match.params[0];
  const decided = response?.decided;
  if (decided === undefined || !("record" in decided)) return undefined;
  const { resource, record } = decided;
  return resource === "payment" || resource === "initiation" ? record.reference : undefined;
}
