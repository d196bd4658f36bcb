import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { EVENT_KINDS } from "../../src/contract/events.ts";

const PORT = 4010;

/** The shop's receiver. It was broken while one order was paid. */
async function receive(request: Request): Promise<Response> {
  const isBroken = (await request.text()).includes("ORDER-41");
  return new Response(isBroken ? '{"error":"wrong signature"}' : "", {
    status: isBroken ? 401 : 200,
  });
}

/** Serves the sandbox at its usual address, and plays a morning of a small shop. */
export async function serveMorning(): Promise<ServedSandbox> {
  const sandbox = createSandbox({ seed: "screenshots", deliver: receive });
  const served = await sandbox.serve({ port: PORT });
  const call = (path: string, body: object) =>
    fetch(served.baseUrl + path, {
      method: "POST",
      headers: {
        "x-api-key": sandbox.keys.secret,
        "content-type": "application/json",
        "user-agent": "shop/1.4",
      },
      body: JSON.stringify(body),
    });
  const pay = async (
    amount: number,
    phone: string,
    account_reference: string,
    description = "",
  ) => {
    await call("/mobile-money/payment/initiate", { amount, phone, account_reference, description });
    await sandbox.deliveries.settled();
  };
  const advance = async (time: string) => {
    await sandbox.deliveries.settled();
    await sandbox.clock.advance(time);
  };
  const url = "http://127.0.0.1:3000/webhooks";
  await call("/webhooks/register", { name: "shop", url, events: EVENT_KINDS });
  await pay(350, "0733100200", "ORDER-39", "Kahawa, 250 g");
  sandbox.phone("0733100200").approve();
  await advance("44s");
  await call("/mobile-money/payment/initiate", { amount: 0, phone: "0110555123" });
  await pay(12_999, "0110555123", "ORDER-40");
  sandbox.phone("0110555123").cancel();
  await advance("30s");
  await pay(80, "0712345678", "ORDER-41", "Mandazi");
  sandbox.phone("0712345678").approve();
  await advance("6s");
  await pay(1_500, "0712345678", "ORDER-42", "Viatu, size 42");
  await advance("7s");
  return served;
}
