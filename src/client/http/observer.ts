import type { KeyKind } from "../../contract/keys.ts";
import type { GatewayObserver } from "../observer.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

/** What an observer is called with beside the exchange. */
interface Observed {
  readonly observer: GatewayObserver | undefined;
  readonly baseUrl: string;
  readonly kind: KeyKind;
}

/** Tells the observer, if there is one. Never throws. */
export function notifyObserver(
  { observer, baseUrl, kind: key }: Observed,
  { method, url, body }: HttpRequest,
  { response, text }: HttpResponse,
): void {
  if (observer === undefined) return;
  const hasBody = body !== undefined;
  try {
    observer.observeExchange({ method, url, baseUrl, key, hasBody, response, text });
  } catch {
    // An observer that fails must not fail a payment.
  }
}
