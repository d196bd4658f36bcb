/**
 * Gives each thing that is to happen a separate place in a list of this length: evenly, from the first place on.
 *
 * @param part - The part of the list from its begin in which all of them are.
 */
export function spread<T>(things: readonly T[], length: number, part = 1): ReadonlyMap<number, T> {
  const step = Math.max(1, (length * part) / things.length);
  const places = things.map((thing, turn) => [Math.floor(turn * step), thing] as const);
  return new Map(places.filter(([place]) => place < length));
}

/** The counts of a campaign's progress at which something happens, evenly over all. */
export const evenly = (times: number, total: number): number[] =>
  Array.from({ length: times }, (_, turn) => Math.ceil(((turn + 1) * total) / (times + 1)));

/**
 * Whether a hard state comes depends on chance too: on a busy machine, the only process that was to sleep at
 * a point may have been killed before. Orders that lead to what never came are sold once more.
 */
export const MAX_MORE_ROUNDS = 4;
/** How many orders of a kind are sold once more. */
const MORE_OF_A_KIND = 4;

/** More orders of these kinds. Each gets a number that no other order has. */
export const moreOf = <Kind, Order>(
  round: number,
  kinds: readonly Kind[],
  order: (kind: Kind, number: number) => Order,
): Order[] =>
  kinds.flatMap((kind, at) =>
    Array.from({ length: MORE_OF_A_KIND }, (_, times) =>
      order(kind, round * 1_000 + at * MORE_OF_A_KIND + times),
    ),
  );
