import { createHmac } from "node:crypto";
import type { WebhookSecret } from "malipo/webhooks";

export const SECRET = "whsec_0QkY2v1s7mZ8";

export const EVENT = {
  event: "payment.completed",
  timestamp: "2026-01-31T09:30:00+03:00",
  data: { payment_id: 71, reference: "PAY-71", amount: "100.00", payer_name: "A. Otieno" },
};

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const BODY: Uint8Array<ArrayBuffer> = utf8(JSON.stringify(EVENT));

/** The signature by the platform's own HMAC, so that our own code does not check itself. */
export const hmac = (body: Uint8Array, secret: WebhookSecret = SECRET): string =>
  createHmac("sha256", secret).update(body).digest("hex");

export const HEX = hmac(BODY);
