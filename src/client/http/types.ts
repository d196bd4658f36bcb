import type { Endpoint } from "../../contract/endpoints.ts";
import type { Outcome } from "../../errors/base.ts";
import type { Fence } from "../../idempotency/fence.ts";
import type { CallLimits, Settings } from "../settings.ts";

/** A call that is made: what errors and hooks say of it. */
export interface CallContext {
  /** Method and path, as the interface writes them. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly settings: Settings;
}

/** A request, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export interface Limits extends CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly beforeSend?: Fence | undefined;
}

/** A response whose body was read to its end. */
export interface HttpResponse {
  readonly response: Response;
  readonly text: string;
}

/** A 2xx, and the worst outcome of the attempts before it. */
export interface Sent extends HttpResponse {
  readonly outcome: Outcome;
}
