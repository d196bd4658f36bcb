import { partsOfConflictId } from "../conflicts.ts";
import { conflictNotFound } from "../errors.ts";
import type { NewDelivery } from "../types.ts";

/** The deliveries whose events were stored before with other `data`. */
export class KnownConflicts {
  /** By key and digest; without the delivery where a person has decided. */
  readonly #known = new Map<string, Map<string, NewDelivery | undefined>>();

  /** Whether a person has decided on this conflict. */
  isDecided({ key, digest }: NewDelivery): boolean {
    const digests = this.#known.get(key);
    return digests?.has(digest) === true && digests.get(digest) === undefined;
  }

  /** Keeps a conflict; the first delivery with the same `data` stays. */
  add(delivery: NewDelivery): void {
    const { key, digest } = delivery;
    const digests = this.#known.get(key) ?? new Map<string, NewDelivery | undefined>();
    this.#known.set(key, digests);
    if (!digests.has(digest)) digests.set(digest, delivery);
  }

  /** Those that wait for a person. */
  list(): NewDelivery[] {
    const all = [...this.#known.values()].flatMap((digests) => [...digests.values()]);
    return all.filter((delivery) => delivery !== undefined);
  }

  /** Takes them off the list. Gives their deliveries. */
  end(ids: readonly string[]): NewDelivery[] {
    const ended = ids.map((id) => {
      const { key, digest } = partsOfConflictId(id);
      const delivery = this.#known.get(key)?.get(digest);
      if (delivery === undefined) throw conflictNotFound(id);
      return delivery;
    });
    for (const { key, digest } of ended) this.#known.get(key)?.set(digest, undefined);
    return ended;
  }

  /** Forgets all conflicts of an event. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}
