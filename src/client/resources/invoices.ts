import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Invoice, InvoiceFields, InvoiceSendParams } from "../../contract/invoice.ts";
import type { Call, CallInput } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";
import type { CallOptions, CreateOptions } from "../settings.ts";

/** Invoices. The interface shows no field of them: narrow `Invoice` by declaration merging. */
export class Invoices {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Makes an invoice.
   *
   * A secret key with the scope `invoices.create`. Never sent twice by itself.
   *
   * @see Service interface, section 4, row 13.
   */
  create(fields: InvoiceFields, options?: CreateOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.create"], { body: fields }, options);
  }

  /**
   * Lists invoices, a page at a time.
   *
   * Any key with the scope `invoices.read`.
   *
   * @param query - Not shown by the interface: passed on as given.
   * @see Service interface, section 4, row 14.
   */
  list(query?: Query, options?: CallOptions): Result<Page<Invoice>> {
    return this.#call(ENDPOINTS["invoices.list"], { query }, options);
  }

  /**
   * Reads an invoice.
   *
   * Any key with the scope `invoices.read`.
   *
   * @see Service interface, section 4, row 15.
   */
  get(invoice: string | number, options?: CallOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.get"], { path: [invoice] }, options);
  }

  /**
   * Changes an invoice.
   *
   * A secret key with the scope `invoices.update`.
   *
   * @see Service interface, section 4, row 16.
   */
  update(invoice: string | number, changes: InvoiceFields, options?: CallOptions): Result<Invoice> {
    return this.#call(ENDPOINTS["invoices.update"], { path: [invoice], body: changes }, options);
  }

  /**
   * Removes an invoice.
   *
   * A secret key with the scope `invoices.delete`.
   *
   * @see Service interface, section 4, row 17.
   */
  delete(invoice: string | number, options?: CallOptions): Result<Record<string, unknown>> {
    return this.#call(ENDPOINTS["invoices.delete"], { path: [invoice] }, options);
  }

  /**
   * Sends an invoice to its customer.
   *
   * A secret key with the scope `invoices.send`. Never sent twice by itself.
   *
   * @param params - Not shown by the interface: passed on as given.
   * @see Service interface, section 4, row 18.
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
