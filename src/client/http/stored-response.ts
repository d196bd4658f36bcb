import { parseJson } from "../../internal/json.ts";
import type { HttpResponse, Sent } from "./http-types.ts";
import { paymentIn } from "./payment-in-body.ts";

// A result is made of the status and the text only. Headers may hold what must not be stored.

/** A response as a store keeps it. */
export const encodeResponse = ({ response, text }: HttpResponse): string =>
  JSON.stringify({ status: response.status, text });

/** A stored response, as if the service had just returned it. */
export function decodeResponse(stored: string): Sent {
  const { status, text } = JSON.parse(stored) as { status: number; text: string };
  if (typeof text !== "string") throw new TypeError("The stored response has no text.");
  // The body has been read into the text.
  return { response: new Response(null, { status }), text, outcome: "not_sent" };
}

/** The body of a stored response, and the payment that it names. */
export function storedPayment(stored: string): { body: unknown; reference: string | undefined } {
  const body = parseJson(decodeResponse(stored).text);
  return { body, reference: paymentIn(body)?.reference };
}

/** The response that is stored if an attempt is resolved with the reference of its payment. */
export const encodeReference = (reference: string): string =>
  JSON.stringify({ status: 200, text: JSON.stringify({ success: true, data: { reference } }) });
