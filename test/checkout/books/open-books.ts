import { memory } from "malipo";
import { signWebhook } from "malipo/webhooks";
import { newSandbox, openShop } from "../stage.ts";

export const DAY = { from: "2026-11-23T00:00:00+03:00", to: "2026-11-24T00:00:00+03:00" };
export const DAY_2 = { from: DAY.to, to: "2026-11-25T00:00:00+03:00" };
export const NOON = Date.parse("2026-11-23T12:00:00+03:00");

export interface Listed {
  reference?: string;
  payment_id?: number;
  status: string;
  amount: string;
  currency: string;
  phone: string;
  account_reference: string;
  created_at: string;
}

/** A service with a list of payments, newest first, in pages of 100. */
function listService() {
  const payments: Listed[] = [];
  /** Payments that can be read, and that the list leaves out. */
  const unlisted: Listed[] = [];
  const failing = new Set<number>();
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    const url = new URL(String(address));
    const headers = { date: new Date(NOON).toUTCString() };
    const [, reference] = /\/payments\/([^/]+)$/.exec(url.pathname) ?? [];
    if (reference !== undefined) {
      const found = [...payments, ...unlisted].find((one) => one.reference === reference);
      const body = found ?? { message: "not found" };
      return Response.json(body, { status: found ? 200 : 404, headers });
    }
    const page = Number(url.searchParams.get("page") ?? 1);
    if (failing.has(page)) return Response.json({}, { status: 500, headers });
    const total = payments.length;
    const sorted = [...payments].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const meta = { current_page: page, per_page: 100, total, last_page: Math.ceil(total / 100) };
    const data = sorted.slice((page - 1) * 100, page * 100);
    return Response.json({ success: true, data, meta }, { headers });
  };
  return { payments, unlisted, failing, fetch };
}

export async function openBooks(
  now = NOON,
  clock = { now },
  options: { onPaid?: () => never; partPayments?: "review" } = {},
) {
  const sandbox = newSandbox();
  const service = listService();
  const store = memory({ now: () => clock.now }).checkout();
  const shop = openShop(sandbox, store, { fetch: service.fetch, ...options });
  const { checkout } = shop;
  let made = 0;
  const webhook = async (data: object) => {
    const body = JSON.stringify({
      event: "payment.completed",
      timestamp: new Date(NOON).toISOString(),
      data: { payment_id: ++made, merchant_id: 1, ...data },
    });
    const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
  };
  const listPayment = (number: number, changes: Partial<Listed> = {}): Listed => {
    const one: Listed = {
      reference: `PAY-${number}`,
      status: "completed",
      amount: "100.50",
      currency: "KES",
      phone: `2547${String(number).padStart(8, "0")}`,
      account_reference: `O-${number}`,
      created_at: new Date(NOON - number * 1_000).toISOString(),
      ...changes,
    };
    service.payments.push(one);
    return one;
  };
  /** An order that is paid, and whose payment the service lists. */
  const paid = async (number: number, changes: Partial<Listed> = {}) => {
    const id = `O-${number}`;
    await checkout.create({ id, amount: "100.50", accountReference: id });
    const { reference, account_reference, phone } = listPayment(number, changes);
    await webhook({
      reference,
      status: "completed",
      amount: "100.50",
      currency: "KES",
      account_reference,
      phone,
    });
  };
  return { ...shop, ...service, webhook, listPayment, paid };
}
