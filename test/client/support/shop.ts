import { Gateway, type GatewayOptions, type Payment } from "malipo";
import { createSandbox, type Sandbox } from "malipo/sandbox";

export const PHONE = "0712345678";
export const ORDER = { amount: 100, phone: PHONE, account_reference: "ORDER-42" } as const;

/** A gateway on a sandbox, and how often it prompted and read. */
function shopOn(sandbox: Sandbox, options: GatewayOptions = {}) {
  const sent: string[] = [];
  const gateway: Gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    fetch: sandbox.fetch,
    hooks: { request: ({ method }) => void sent.push(method) },
    ...options,
  });
  const count = (method: string) => sent.filter((one) => one === method).length;
  return { gateway, prompts: () => count("POST"), reads: () => count("GET") };
}

/** A shop with an own sandbox. */
export function createShop() {
  const sandbox = createSandbox();
  const shop = (options?: GatewayOptions) => shopOn(sandbox, options);
  return {
    sandbox,
    shop,
    /** The payments that the sandbox holds. */
    ledger: async (): Promise<Payment[]> => (await shop().gateway.payments.list()).items,
    /** Answers the prompt when the wait has seen it. */
    approving: () => ({ onUpdate: once(() => sandbox.phone(PHONE).approve()) }),
  };
}

export function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

/** Wake-ups that come soon for every payment. */
export function lookSoon(_: string, lookNow: () => void): () => void {
  const timer = setInterval(lookNow, 20);
  return () => clearInterval(timer);
}
