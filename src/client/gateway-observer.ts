import type { KeyKind } from "../contract/keys.ts";

/** A response that was read to its end, and what was asked. It holds values: only shapes may be stored. */
export interface ObservedExchange {
  readonly method: string;
  /** The whole address, with the base URL and the query. */
  readonly url: string;
  /** The base URL of the gateway, without a slash at its end. */
  readonly baseUrl: string;
  /** The kind of the key that was sent, never the key. */
  readonly key: KeyKind;
  readonly hasBody: boolean;
  readonly response: Response;
  /** The body of the response. */
  readonly text: string;
}

/**
 * What a gateway needs of an observer, which `createObserver()` of `malipo/learn` makes.
 */
export interface GatewayObserver {
  /** Called with each response. It must return at once, because the call waits for it. */
  observeExchange(exchange: ObservedExchange): void;
}
