/**
 * One page of a list. The interface shows no paging, so `meta` holds whatever the service sent
 * beside the items: look there for page numbers or cursors, and pass them on as the `query`.
 *
 * @example
 * ```ts
 * const page = await gateway.payments.list({ page: 2 });
 * for (const payment of page) console.log(payment.reference, payment.status);
 * ```
 */
export interface Page<T> extends Iterable<T> {
  readonly items: T[];
  /** Every other field of the answer's envelope, and those beside the list inside `data`. */
  readonly meta: Record<string, unknown>;
}

export function pageOf<T>(items: T[], meta: Record<string, unknown>): Page<T> {
  const page = { items, meta };
  return Object.defineProperty(page, Symbol.iterator, {
    value: () => items.values(),
  }) as unknown as Page<T>;
}
