/** Whether {@link ordersOf} yields more than `max` orders. */
export function hasMoreOrders(events: number, times: number, max: number): boolean {
  // Many events have too many orders even without a repetition.
  let permutations = 1;
  for (let event = 2; event <= events && permutations <= max; event++) permutations *= event;
  if (permutations > max) return true;
  let count = 0;
  for (const _ of ordersOf(events, times)) if (++count > max) return true;
  return false;
}

/**
 * Every order of this many events, each at least once and at most `times` times. The shortest orders
 * come first, and the given order is the first of them.
 */
export function* ordersOf(events: number, times: number): Generator<readonly number[]> {
  function* extend(order: readonly number[], length: number): Generator<readonly number[]> {
    if (order.length === length) yield order;
    const missing = events - new Set(order).size;
    for (let event = 0; event < events && order.length < length; event++) {
      const copies = order.filter((one) => one === event).length;
      // The rest of the places may all be needed for the events that have not come yet.
      const isTooMany = copies > 0 && length - order.length <= missing;
      if (copies < times && !isTooMany) yield* extend([...order, event], length);
    }
  }
  for (let length = events; length <= events * times; length++) yield* extend([], length);
}

/** Sorts an order step by step: each step swaps two neighbours of the one before. */
export function* stepsBetween(from: readonly number[]): Generator<readonly number[]> {
  const order = [...from];
  for (let end = order.length - 1; end > 0; end--) {
    for (let at = 0; at < end; at++) {
      const [one, next] = [order[at] as number, order[at + 1] as number];
      if (one <= next) continue;
      order[at] = next;
      order[at + 1] = one;
      yield [...order];
    }
  }
}
