import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Invoice, InvoiceFields, InvoiceSendParams } from "../../contract/invoice.ts";
import type { Call, CallInput } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";

/** Invoices. Their fields are not documented: narrow `Invoice` by declaration merging. */
export class Invoices {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Creates an invoice.
   *
   * Requires a secret key with the scope `invoices.create`. The call is retried automatically only
   * while nothing can have happened.
   *
   * @see docs/reference/service.md, "Invoices"
   */
  create(fields: InvoiceFields, options?: CreateOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.create"], { body: fields }, options);
  }

  /**
   * Lists invoices, a page at a time.
   *
   * Requires a key with the scope `invoices.read`.
   *
   * @param query - Not documented: sent as it is given.
   * @see docs/reference/service.md, "Invoices"
   */
  list(query?: Query, options?: CallOptions): Result<Page<Invoice>> {
    return this.#call(ENDPOINTS["invoices.list"], { query }, options);
  }

  /**
   * Reads an invoice.
   *
   * Requires a key with the scope `invoices.read`.
   *
   * @see docs/reference/service.md, "Invoices"
   */
  get(invoice: string | number, options?: CallOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.get"], { path: [invoice] }, options);
  }

  /**
   * Changes an invoice.
   *
   * Requires a secret key with the scope `invoices.update`.
   *
   * @see docs/reference/service.md, "Invoices"
   */
  update(invoice: string | number, changes: InvoiceFields, options?: CallOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.update"], { path: [invoice], body: changes }, options);
  }

  /**
   * Deletes an invoice.
   *
   * Requires a secret key with the scope `invoices.delete`.
   *
   * @see docs/reference/service.md, "Invoices"
   */
  delete(invoice: string | number, options?: CallOptions): Result<Record<string, unknown>> {
    return this.#call(ENDPOINTS["invoices.delete"], { path: [invoice] }, options);
  }

  /**
   * Sends an invoice to its customer.
   *
   * Requires a secret key with the scope `invoices.send`. The call is retried automatically only
   * while nothing can have happened.
   *
   * @param params - Not documented: sent as it is given.
   * @see docs/reference/service.md, "Invoices"
   */
  send(
    invoice: string | number,
    params?: InvoiceSendParams,
    options?: CreateOptions,
  ): Result<Invoice> {
    const input: CallInput = { path: [invoice], ...(params === undefined ? {} : { body: params }) };
    return this.#call(ENDPOINTS["invoices.send"], input, options);
  }
}
