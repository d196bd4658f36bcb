import type { Deliver } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { type PlannedFault, planFaults } from "../prompts/faults.ts";
import { type Service, startService } from "../prompts/service.ts";
import { createWebhookProxy } from "../prompts/webhook-proxy.ts";
import { Campaign } from "./campaign.ts";
import { type Breach, checkEnd, type End } from "./check.ts";
import { hardStates, leadsTo } from "./hard-states.ts";
import type { History } from "./history.ts";
import { UNDERPAID } from "./messages.ts";
import { planMore, planOrders } from "./plan.ts";
import type { OpenStore, StoreName } from "./store.ts";

export interface CampaignOptions {
  readonly store: StoreName;
  readonly seed: string;
  readonly orders: number;
  /** The bundle of the shop. */
  readonly shop: string;
}

export interface CampaignResult {
  readonly breaches: readonly Breach[];
  readonly states: readonly (readonly [string, number])[];
  readonly statuses: Readonly<Record<string, number>>;
  readonly prompts: number;
  readonly seconds: number;
}

/**
 * Whether a hard state comes depends on chance too: on a busy machine, the only process that was to sleep at
 * a point may have been killed before. Orders that lead to what never came are sold once more.
 */
const MAX_MORE_ROUNDS = 4;

const LOST = ["lostResponse", "truncate", "reset", "hang"];

function countLost(faults: readonly PlannedFault[], service: Service): number {
  const applied = faults.slice(0, faults.length - service.faultsLeft().length);
  return applied.filter(({ name }) => LOST.includes(name)).length;
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

/** Sends a webhook to every process at once. */
async function deliverNow(request: Request, ports: readonly number[]): Promise<Response> {
  const body = await request.text();
  const init = { method: "POST", headers: request.headers, body };
  const posts = ports.map((port) => fetch(`http://127.0.0.1:${port}/webhooks`, init));
  await Promise.allSettled(posts);
  return new Response(null, { status: 200 });
}

/** Runs the shop, and compares its end with the service's ledger and with the merchant's tables. */
export async function runCampaign(
  { store, seed, orders: count, shop }: CampaignOptions,
  place: OpenStore,
): Promise<CampaignResult> {
  const started = performance.now();
  const faults = planFaults(seed, count);
  let campaign: Campaign | undefined;
  const ports = () => campaign?.ports() ?? [];
  const webhooks = createWebhookProxy(seed, ports, (prompt) => campaign?.see(prompt));
  const deliver: Deliver = async (request) => {
    const { event, data } = await request.clone().json();
    const order = campaign?.order(String(data?.account_reference));
    if (event === "payment.initiated") campaign?.see(data);
    if (order?.losesWebhooks) return new Response(null, { status: 200 });
    const isDirect = order?.incident?.name === "webhook before the response";
    if (isDirect) return deliverNow(request, ports());
    const secret = service.sandbox.webhookSecret;
    return webhooks.deliver(order?.isUnderpaid ? await underpaid(request, secret) : request);
  };
  const service: Service = await startService(seed, deliver, faults);
  const running = new Campaign(seed, shop, place, service);
  campaign = running;
  const judge = (end: End) => {
    running.notes.counts["responses lost"] = countLost(faults, service);
    return resultOf(store, running.notes, end, (performance.now() - started) / 1_000);
  };
  try {
    let result = judge(await running.sell(planOrders(seed, store, count)));
    for (let round = 1; round <= MAX_MORE_ROUNDS && onlyNever(result); round++) {
      const kinds = neverCame(result).map(leadsTo);
      result = judge(await running.sell(planMore({ seed, store }, round, kinds)));
    }
    return result;
  } finally {
    webhooks.close();
    await running.stop();
    await service.close();
  }
}

const neverCame = ({ states }: CampaignResult) =>
  states.filter(([, count]) => count === 0).map(([name]) => name);

/** Whether nothing is wrong but that a hard state never came. */
const onlyNever = ({ breaches }: CampaignResult) =>
  breaches.length > 0 && breaches.every(({ kind }) => kind === "never");

function resultOf(store: StoreName, notes: History, end: End, seconds: number): CampaignResult {
  const statuses: Record<string, number> = {};
  for (const { status } of end.orders) statuses[status] = (statuses[status] ?? 0) + 1;
  const states = hardStates(store, notes, end);
  const never = states
    .filter(([, count]) => count === 0)
    .map(([what]) => ({ kind: "never", order: "", what }));
  const deaths = notes.counts.deaths ?? 0;
  const died = { kind: "died", order: "", what: `${deaths} processes ended by themselves` };
  const breaches = [...checkEnd(notes, end), ...(deaths > 0 ? [died] : []), ...never];
  return { breaches, states, statuses, prompts: end.ledger.length, seconds };
}
