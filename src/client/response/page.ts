/**
 * One page of a list. How the service pages is not documented, so `meta` holds every field that it
 * sent beside the items: look there for page numbers or cursors, and pass them as the `query`.
 *
 * @example
 * ```ts
 * const page = await gateway.payments.list({ page: 2 });
 * for (const payment of page) console.log(payment.reference, payment.status);
 * ```
 */
export interface Page<T> extends Iterable<T> {
  readonly items: T[];
  /** Every other field of the response's envelope, and those beside the list inside `data`. */
  readonly meta: Record<string, unknown>;
}

export function createPage<T>(items: T[], meta: Record<string, unknown>): Page<T> {
  const page = { items, meta };
  // Not enumerable, so that a log of a page shows its items and its meta.
  return Object.defineProperty(page, Symbol.iterator, {
    value: () => items.values(),
  }) as unknown as Page<T>;
}
