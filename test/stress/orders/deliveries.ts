// What becomes of the webhook of an order, other than what the proxy of the service does by chance.
import { setTimeout as sleep } from "node:timers/promises";
import type { Deliver } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { isSamePhone } from "../harness/service/customers.ts";
import { UNDERPAID } from "./messages.ts";
import type { PlannedOrder } from "./plan.ts";

/** The service delivers a webhook again that nobody takes. */
const MAX_TRIES = 20;
const AGAIN_MS = 300;

/** Where webhooks go. */
export interface Receivers {
  /** The secret that signs them. */
  readonly secret: string;
  /** The ports of the processes that take them. */
  readonly ports: () => readonly number[];
}

/** The webhook of a payment that is less than was asked for, signed as the service does. */
async function underpaid(request: Request, secret: string): Promise<Request> {
  const event = await request.json();
  const body = JSON.stringify({ ...event, data: { ...event.data, amount: UNDERPAID } });
  const headers = new Headers(request.headers);
  headers.set("X-Service-Signature", signWebhook(body, secret));
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, body });
}

const post = (port: number, { headers }: Request, body: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/webhooks`, {
    ...{ method: "POST", headers, body },
    signal: AbortSignal.timeout(1_000),
  })
    .then(({ ok }) => ok)
    .catch(() => false);

const taken = (): Response => new Response(null, { status: 200 });

/** Sends a webhook to every process at once. */
async function deliverToAll(request: Request, ports: readonly number[]): Promise<Response> {
  const body = await request.text();
  await Promise.all(ports.map((port) => post(port, request, body)));
  return taken();
}

/** Sends a webhook until a process has taken it. */
async function deliverSurely(request: Request, { ports }: Receivers): Promise<Response> {
  const body = await request.text();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    for (const port of ports()) if (await post(port, request, body)) return taken();
    await sleep(AGAIN_MS);
  }
  return new Response(null, { status: 500 });
}

/** @param order - `undefined` for a label that was typed otherwise. */
export async function deliver(
  request: Request,
  order: PlannedOrder | undefined,
  { byChance, ...receivers }: Receivers & { readonly byChance: Deliver },
): Promise<Response> {
  const { data } = await request.clone().json();
  if (order?.losesWebhooks) return taken();
  // Only its webhook, or the books, tell of money that was not asked for.
  if (!isSamePhone(data.phone, order?.phone)) return deliverSurely(request, receivers);
  const isDirect = order?.incident?.name === "webhook before the response";
  if (isDirect) return deliverToAll(request, receivers.ports());
  return byChance(order?.isUnderpaid ? await underpaid(request, receivers.secret) : request);
}
