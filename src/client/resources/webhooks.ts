import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Webhook, WebhookChanges, WebhookRegistration } from "../../contract/webhook.ts";
import type { Call } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";

/** Webhook registrations: the addresses to which the service sends its events. */
export class Webhooks {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Registers an endpoint for events.
   *
   * Requires a secret key with the scope `webhooks.manage`. The call is retried automatically only
   * while nothing can have happened.
   *
   * @throws {InvalidParamsError} before anything is sent: the `url` must be `https:` (`http:` only
   * on a loopback host, or with `testNetwork` on a private name), and the `events` non-empty strings, if they are set.
   * @see docs/reference/service.md, "Webhook registrations"
   *
   * @example
   * ```ts
   * await gateway.webhooks.register({
   *   name: "shop",
   *   url: "https://shop.example/webhooks",
   *   events: ["payment.completed", "payment.failed"],
   * });
   * ```
   */
  register(registration: WebhookRegistration, options?: CreateOptions): Result<Webhook> {
    return this.#call(ENDPOINTS["webhooks.register"], { body: registration }, options);
  }

  /**
   * Lists the registered endpoints.
   *
   * Requires a key with the scope `webhooks.read`.
   *
   * @param query - Not documented: sent as it is given.
   * @see docs/reference/service.md, "Webhook registrations"
   */
  list(query?: Query, options?: CallOptions): Result<Page<Webhook>> {
    return this.#call(ENDPOINTS["webhooks.list"], { query }, options);
  }

  /**
   * Changes an endpoint. The request is not documented; the fields of `register` are checked if
   * they are given.
   *
   * Requires a secret key with the scope `webhooks.manage`.
   *
   * @see docs/reference/service.md, "Webhook registrations"
   */
  update(id: string | number, changes: WebhookChanges, options?: CallOptions): Result<Webhook> {
    return this.#call(ENDPOINTS["webhooks.update"], { path: [id], body: changes }, options);
  }

  /**
   * Deletes an endpoint.
   *
   * Requires a secret key with the scope `webhooks.manage`.
   *
   * @see docs/reference/service.md, "Webhook registrations"
   */
  delete(id: string | number, options?: CallOptions): Result<Record<string, unknown>> {
    return this.#call(ENDPOINTS["webhooks.delete"], { path: [id] }, options);
  }
}
