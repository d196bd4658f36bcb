import type { HttpResponse } from "../http/exchange.ts";

// Status and text are all that a result is read from; headers may hold what should not be kept.

/** An answer as a store keeps it. */
export const storedAnswer = ({ response, text }: HttpResponse): string =>
  JSON.stringify({ status: response.status, text });

/** The answer that was kept, as if it came now. */
export function answerFrom(stored: string): HttpResponse {
  const { status, text } = JSON.parse(stored) as { status: number; text: string };
  // Without its body, which was read into the text.
  return { response: new Response(null, { status }), text };
}

/** What is kept where a merchant resolves an attempt by a reference. */
export const resolvedAnswer = (reference: string): string =>
  JSON.stringify({ status: 200, text: JSON.stringify({ success: true, data: { reference } }) });
