import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Webhook, WebhookChanges, WebhookRegistration } from "../../contract/webhook.ts";
import type { Call } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";
import type { CallOptions, CreateOptions } from "../settings.ts";

/** Webhook endpoints: where the service sends its events. */
export class Webhooks {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Registers an endpoint for events.
   *
   * A secret key with the scope `webhooks.manage`. Never sent twice by itself.
   *
   * @throws {InvalidParamsError} before anything is sent: the `url` must be `https:` (`http:` on a
   * loopback host alone), the `events` non-empty strings.
   * @see Service interface, section 4, row 9.
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
   * Any key with the scope `webhooks.read`.
   *
   * @param query - Not shown by the interface: passed on as given.
   * @see Service interface, section 4, row 10.
   */
  list(query?: Query, options?: CallOptions): Result<Page<Webhook>> {
    return this.#call(ENDPOINTS["webhooks.list"], { query }, options);
  }

  /**
   * Changes an endpoint. The interface does not show the request; the documented fields are
   * checked where they are given.
   *
   * A secret key with the scope `webhooks.manage`.
   *
   * @see Service interface, section 4, row 11.
   */
  update(id: string | number, changes: WebhookChanges, options?: CallOptions): Result<Webhook> {
    return this.#call(ENDPOINTS["webhooks.update"], { path: [id], body: changes }, options);
  }

  /**
   * Removes an endpoint.
   *
   * A secret key with the scope `webhooks.manage`.
   *
   * @see Service interface, section 4, row 12.
   */
  delete(id: string | number, options?: CallOptions): Result<Record<string, unknown>> {
    return this.#call(ENDPOINTS["webhooks.delete"], { path: [id] }, options);
  }
}
