import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkOptionNames } from "../../internal/check-options.ts";
import type { Duration } from "../../internal/duration.ts";
import { ErrorResponse } from "../api/error-response.ts";
import type { ApiResponse } from "../api/messages.ts";
import { formatTimestamp } from "../clock/time.ts";
import { deliveryView } from "../deliveries/deliveries.ts";
import { deliveryQueues } from "../deliveries/queue.ts";
import type { Host } from "../http/host.ts";
import { readBody } from "../http/read-body.ts";
import { refusalOf } from "../page/guard.ts";
import type { Phone } from "../payments/phone.ts";
import type { StoredDelivery } from "../state/records.ts";

/** Below this, a served sandbox takes orders in JSON: from the command line, or any language. */
const PREFIX = "/_sandbox/api";

/** What is asked for. The path is the one below the prefix. */
interface Order {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

type Act = (host: Host, name: string, order: Order) => unknown;

/** What can be done to a customer's phone, by the last word of the path. */
const PHONE_ACTS: Readonly<Record<string, (phone: Phone) => unknown>> = {
  approve: (phone) => phone.approve(),
  cancel: (phone) => phone.cancel(),
  "wrong-pin": (phone) => phone.enterWrongPin(),
  ignore: (phone) => phone.ignore(),
  off: (phone) => phone.switchOff(),
  on: (phone) => phone.switchOn(),
};

/** One row an order: its method, its path below the prefix, and what it does. */
const ORDERS: readonly (readonly [method: "GET" | "POST", path: RegExp, act: Act])[] = [
  ["GET", /^\/status$/, (host) => statusOf(host)],
  ["GET", /^\/clock$/, (host) => timeOf(host)],
  ["POST", /^\/clock\/advance$/, (host, _, order) => advance(host, order)],
  ["GET", /^\/deliveries$/, (host, _, { query }) => deliveriesOf(host, query)],
  ["POST", /^\/deliveries\/([^/]+)\/resend$/, ({ sandbox }, id) => sandbox.deliveries.resend(id)],
  ...Object.entries(PHONE_ACTS).map(
    ([name, act]) =>
      [
        "POST",
        new RegExp(`^/phones/([^/]+)/${name}$`),
        ({ sandbox }: Host, number: string) => {
          const phone = sandbox.phone(number);
          return { number: phone.number, payment: act(phone) };
        },
      ] as const,
  ),
];

function timeOf({ world, clock }: Host): object {
  return { now: formatTimestamp(world.clock.ms()), clock };
}

async function advance(host: Host, order: Order): Promise<object> {
  const body = bodyIn(order.body);
  checkOptionNames(body, ["by"], "/clock/advance");
  await host.sandbox.clock.advance(body.by as Duration);
  return timeOf(host);
}

function statusOf(host: Host): object {
  const { sandbox, world } = host;
  const { payments, deliveries } = world.state;
  return {
    ...timeOf(host),
    keys: sandbox.keys,
    webhook_secret: sandbox.webhookSecret,
    payments: payments.length,
    deliveries: deliveries.length,
    queues: deliveryQueues(world.state),
  };
}

/** `?state=failed&limit=20`: the newest first. */
function deliveriesOf({ world }: Host, query: URLSearchParams): object {
  const { deliveries, timers } = world.state;
  const state = query.get("state");
  const limit = query.get("limit") ?? "20";
  if (!/^[1-9]\d{0,5}$/.test(limit))
    throw new ErrorResponse(422, "limit: expected a whole number above 0");
  const nextAttempt = ({ id }: StoredDelivery) => {
    const timer = timers.find(({ task }) => task.kind === "deliver" && task.delivery === id);
    return timer === undefined ? {} : { nextAttemptAt: formatTimestamp(timer.at) };
  };
  const fitting = deliveries.filter((one) => state === null || one.state === state);
  return {
    deliveries: fitting
      .slice(-Number(limit))
      .reverse()
      .map((one) => ({ ...deliveryView(one), ...nextAttempt(one) })),
    total: fitting.length,
    queues: deliveryQueues(world.state),
  };
}

function bodyIn(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text || "{}");
  } catch {
    throw new ErrorResponse(400, "The body is not JSON.");
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  throw new ErrorResponse(400, "The body is not a JSON object.");
}

function orderFor({ method, path }: Order): [act: Act, name: string] {
  const fitting = ORDERS.filter(([, pattern]) => pattern.test(path));
  if (fitting.length === 0) throw new ErrorResponse(404, `There is nothing at ${PREFIX}${path}.`);
  const order = fitting.find(([wanted]) => wanted === method);
  if (order === undefined) {
    const allow = fitting.map(([wanted]) => wanted).join(", ");
    throw new ErrorResponse(405, `${path} takes ${allow}.`, { allow });
  }
  const [, pattern, act] = order;
  try {
    return [act, decodeURIComponent(pattern.exec(path)?.[1] ?? "")];
  } catch {
    throw new ErrorResponse(400, "The path is not properly encoded.");
  }
}

async function answerTo(host: Host, message: IncomingMessage): Promise<ApiResponse> {
  const foreign = refusalOf(message);
  if (foreign !== undefined) return refusal(403, foreign);
  const body = await readBody(message).catch(() => undefined);
  if (body === undefined) return refusal(413, "The body is too large.");
  const { method = "GET", url = "/" } = message;
  const { pathname, searchParams: query } = new URL(url, "http://localhost");
  const order = { method, path: pathname.slice(PREFIX.length), query, body };
  try {
    const [act, name] = orderFor(order);
    return json(200, { success: true, data: await act(host, name, order) });
  } catch (error) {
    if (error instanceof ErrorResponse) return refusal(error.status, error.message, error.headers);
    if (error instanceof ConfigurationError) return refusal(422, error.message);
    // An order that breaks must not take the gateway with it.
    return refusal(500, `The sandbox failed: ${String(error)}`);
  }
}

/** Carries out an order to a served sandbox, and answers in the service's envelope. */
export async function control(
  host: Host,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await answerTo(host, message);
  response.writeHead(status, headers);
  response.end(body);
}

function json(status: number, value: unknown, headers: ApiResponse["headers"] = {}): ApiResponse {
  return {
    status,
    // No CORS: a page of another site may neither act here nor read the keys.
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: JSON.stringify(value),
  };
}

const refusal = (status: number, error: string, headers?: ApiResponse["headers"]): ApiResponse =>
  json(status, { success: false, error }, headers);
