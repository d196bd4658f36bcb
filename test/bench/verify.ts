import { createHmac, timingSafeEqual } from "node:crypto";
import { signWebhook, verifyWebhook } from "malipo/webhooks";
import { peer, peerVersion } from "./peers.ts";
import { type Candidate, medians } from "./rounds.ts";
import type { Measured } from "./table.ts";

const SECRET = "whsec_9f2c4f0a8d1e4b6aa7c35d90e2f1b847";
const BODY = JSON.stringify({
  event: "payment.completed",
  timestamp: "2026-01-01T09:00:31+03:00",
  data: {
    payment_id: 48213,
    reference: "PAY-7f3c9a1e5b",
    status: "completed",
    amount: "1500.00",
    currency: "KES",
    phone: "254712345678",
    account_reference: "ORDER-1042",
    description: "Two bags of coffee, roasted this morning",
    mpesa_receipt: "TK1A2B3C4D",
    provider: "mobile_money",
    metadata: {
      cart: "c_81723",
      channel: "web",
      note: "Leave at the gate with the guard, please.",
    },
    completed_at: "2026-01-01T09:00:30+03:00",
  },
});
const BYTES = Buffer.from(BODY);

interface StripeModule {
  readonly default: new (
    key: string,
  ) => {
    readonly webhooks: {
      constructEvent(body: string, header: string, secret: string): unknown;
      generateTestHeaderString(options: { payload: string; secret: string }): string;
    };
  };
}
interface OctokitModule {
  sign(secret: string, body: string): Promise<string>;
  verify(secret: string, body: string, signature: string): Promise<boolean>;
}
interface StandardModule {
  readonly Webhook: new (
    secret: string,
  ) => {
    sign(id: string, at: Date, body: string): string;
    verify(body: string, headers: Record<string, string>): unknown;
  };
}

const often =
  (work: () => unknown) =>
  (times: number): void => {
    for (let n = 0; n < times; n++) work();
  };

async function standardCandidate(name: string): Promise<Candidate> {
  const module = await peer<StandardModule & { default?: StandardModule }>(name);
  const { Webhook } = module.Webhook === undefined ? (module.default as StandardModule) : module;
  const webhook = new Webhook(`whsec_${Buffer.from(SECRET).toString("base64")}`);
  const at = new Date();
  const headers = {
    "webhook-id": "m_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": webhook.sign("m_1", at, BODY),
  };
  const asSvix = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key.replace("webhook", "svix"), value]),
  );
  const sent = name === "svix" ? asSvix : headers;
  return {
    name: `${name} ${peerVersion(name)}, verify`,
    run: often(() => webhook.verify(BODY, sent)),
  };
}

/** Verifying a webhook: the HMAC, the comparison, the parsing. */
export async function benchVerify(rounds: number): Promise<Measured> {
  const signature = signWebhook(BODY, SECRET);
  const headers = { "x-service-signature": signature };
  const { default: Stripe } = await peer<StripeModule>("stripe");
  const { webhooks } = new Stripe("sk_test_1");
  const stripeHeader = webhooks.generateTestHeaderString({ payload: BODY, secret: SECRET });
  const octokit = await peer<OctokitModule>("@octokit/webhooks-methods");
  const octokitSignature = await octokit.sign(SECRET, BODY);
  const floor = (body: string | Uint8Array) => () => {
    const digest = createHmac("sha256", SECRET).update(body).digest();
    if (!timingSafeEqual(digest, Buffer.from(signature, "hex"))) throw new Error("rejected");
    return JSON.parse(body.toString());
  };
  const candidates: Candidate[] = [
    { name: "floor: createHmac, timingSafeEqual, JSON.parse", run: often(floor(BODY)) },
    {
      name: "malipo verifyWebhook, typed event out",
      run: often(() => verifyWebhook({ body: BODY, headers, secret: SECRET })),
    },
    {
      name: `stripe ${peerVersion("stripe")}, constructEvent`,
      run: often(() => webhooks.constructEvent(BODY, stripeHeader, SECRET)),
    },
    {
      name: `@octokit/webhooks-methods ${peerVersion("@octokit/webhooks-methods")}, verify (does not parse)`,
      run: async (times) => {
        for (let n = 0; n < times; n++) await octokit.verify(SECRET, BODY, octokitSignature);
      },
    },
    await standardCandidate("standardwebhooks"),
    await standardCandidate("svix"),
    { name: "floor, raw bytes in", run: often(floor(BYTES)) },
    {
      name: "malipo verifyWebhook, raw bytes in",
      run: often(() => verifyWebhook({ body: BYTES, headers, secret: SECRET })),
    },
  ];
  const micros = await medians(candidates, { what: "verify", rounds, times: 2_000 });
  const [bare = 1, ours = 0, stripe = 0] = micros;
  const bareBytes = micros[6] ?? 1;
  const ratioOf = (index: number) => (micros[index] ?? 0) / (index >= 6 ? bareBytes : bare);
  return {
    title: "Verifying a webhook",
    how: `A ${BYTES.length}-byte payment.completed, one secret; medians of ${rounds} interleaved rounds of 2,000.`,
    columns: ["what", "µs", "against the floor"],
    rows: candidates.map(({ name }, index) => [
      name,
      (micros[index] ?? 0).toFixed(2),
      ratioOf(index).toFixed(2),
    ]),
    bars: candidates.slice(0, 6).map(({ name }, index) => ({
      label: name,
      value: ratioOf(index),
      text: `${ratioOf(index).toFixed(2)} ×`,
    })),
    goals: [
      {
        text: `verifyWebhook at most 0.85 of the floor: ${ratioOf(1).toFixed(2)}`,
        met: ratioOf(1) <= 0.85,
      },
      { text: `ahead of stripe: ${(stripe / ours).toFixed(2)} times as fast`, met: ours < stripe },
    ],
  };
}
