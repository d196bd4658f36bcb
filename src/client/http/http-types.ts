import type { Endpoint } from "../../contract/endpoints.ts";
import type { Outcome } from "../../errors/base.ts";
import type { Deadline } from "../../idempotency/deadline.ts";
import type { CallLimits, Settings } from "../settings.ts";
import type { SendBefore } from "./send-before.ts";

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
  /** Until when the attempt of an idempotency key may be sent. */
  readonly deadline?: Deadline | undefined;
  /** Until when the caller allows it to be sent. */
  readonly sendBefore?: SendBefore | undefined;
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
