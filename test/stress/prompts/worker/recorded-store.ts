import type { IdempotencyStore } from "malipo";
import { historyTime } from "../../harness/waits.ts";
import { currentCall } from "../../harness/worker.ts";
import type { Happening } from "../messages.ts";
import { reach, record } from "./clock.ts";

/** The idempotency key in the name of a record: it holds no space in this shop. */
const keyOf = (name: string) => name.slice(name.lastIndexOf(" ") + 1);

/** How long each attempt has to wait until it may be resolved as not sent, by key. */
export type TooEarly = Map<string, number>;

/** Reports what a store does, and lets incidents happen when it has begun an attempt. */
export function recordedStore(store: IdempotencyStore, tooEarly: TooEarly): IdempotencyStore {
  // A caller that waits for another's attempt asks many times. Only a change is worth a line.
  const lastSeen = new Map<string, string>();

  async function orRecord<T>(operation: string, name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const attempt = currentCall.getStore()?.attempt;
      record({ what: "store_failed", key: keyOf(name), attempt, operation });
      throw error;
    }
  }

  function recordChange(key: string, seen: string, happening: Happening): void {
    if (lastSeen.get(key) === seen) return;
    lastSeen.set(key, seen);
    record(happening);
  }

  return {
    ...store,
    begin: async (name, attempt) => {
      const key = keyOf(name);
      const { owner, leaseMs } = attempt;
      const askedAt = historyTime();
      const found = await orRecord("begin", name, () => store.begin(name, attempt));
      switch (found.state) {
        case "begun": {
          lastSeen.delete(key);
          record({ what: "begun", key, attempt: owner, leaseMs, askedAt });
          const call = currentCall.getStore();
          if (call !== undefined) call.attempt = owner;
          reach("begun");
          break;
        }
        case "in_flight":
          recordChange(key, `joined ${owner}`, { what: "joined", key, attempt: owner });
          break;
        case "unknown":
          recordChange(key, `unknown ${found.owner}`, {
            what: "seen_unknown",
            key,
            attempt: owner,
            holder: found.owner,
          });
          break;
        case "succeeded":
          recordChange(key, "succeeded", { what: "seen_succeeded", key, attempt: owner });
      }
      return found;
    },
    finish: async (name, owner, end) => {
      record({ what: "finishing", key: keyOf(name), attempt: owner, state: end.state });
      await orRecord("finish", name, () => store.finish(name, owner, end));
    },
    forget: async (name, owner) => {
      record({ what: "forgetting", key: keyOf(name), attempt: owner });
      await orRecord("forget", name, () => store.forget(name, owner));
    },
    resolve: async (name, result, owner) => {
      const key = keyOf(name);
      const outcome = result === undefined ? "not_sent" : "found";
      record({ what: "resolving", key, outcome, holder: owner });
      const found = await orRecord("resolve", name, () => store.resolve(name, result, owner));
      if (found.state === "too_early") tooEarly.set(key, found.notSentInMs);
      else tooEarly.delete(key);
      record({ what: "resolved", key, outcome, holder: owner, state: found.state });
      return found;
    },
  };
}
