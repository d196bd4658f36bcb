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
 * come first, those of one length in the order of their numbers: the given order is the first of all.
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

/**
 * An order that {@link ordersOf} yields before this one, and that differs from it in one place: an event
 * comes once less or, if none comes twice, two neighbours are swapped. The first order has none.
 */
export function earlierNeighbour(order: readonly number[]): readonly number[] {
  const again = order.findLastIndex((event, at) => order.indexOf(event) < at);
  if (again >= 0) return order.toSpliced(again, 1);
  const at = order.findIndex((event, at) => event > (order[at + 1] ?? event));
  return order.toSpliced(at, 2, order[at + 1] as number, order[at] as number);
}
