/** The binomial coefficient: in how many ways `k` of `n` can be chosen. */
function choose(n: number, k: number): number {
  let ways = 1;
  for (let step = 1; step <= k; step++) ways = (ways * (n - k + step)) / step;
  return ways;
}

/** How many orders {@link ordersOf} yields, without making them. */
export function countOrders(events: number, times: number): number {
  // The number of orders of the events so far, by length. One more event can go into any place.
  let byLength = new Map([[0, 1]]);
  for (let event = 0; event < events; event++) {
    const longer = new Map<number, number>();
    for (const [length, ways] of byLength) {
      for (let copies = 1; copies <= times; copies++) {
        const sum = length + copies;
        longer.set(sum, (longer.get(sum) ?? 0) + ways * choose(sum, copies));
      }
    }
    byLength = longer;
    // From here on it only grows.
    if (!Number.isSafeInteger([...byLength.values()].reduce((sum, ways) => sum + ways))) {
      return Number.POSITIVE_INFINITY;
    }
  }
  return [...byLength.values()].reduce((sum, ways) => sum + ways);
}

function* fill(order: number[], left: number[], length: number): Generator<number[]> {
  if (order.length === length) {
    yield [...order];
    return;
  }
  const unseen = left.filter((_, event) => !order.includes(event)).length;
  for (const [event, copies] of left.entries()) {
    const isNew = !order.includes(event);
    // The rest of the places may all be needed for the events that have not come yet.
    if (copies === 0 || (!isNew && length - order.length <= unseen)) continue;
    order.push(event);
    left[event] = copies - 1;
    yield* fill(order, left, length);
    order.pop();
    left[event] = copies;
  }
}

/**
 * Every order of this many events, each at least once and at most `times` times. The shortest orders
 * come first, and the given order is the first of them.
 */
export function* ordersOf(events: number, times: number): Generator<readonly number[]> {
  for (let length = events; length <= events * times; length++) {
    yield* fill([], Array<number>(events).fill(times), length);
  }
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
