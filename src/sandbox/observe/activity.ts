import { setTimeout } from "../clock/machine.ts";
import { deliveryView } from "../deliveries/deliveries.ts";
import { paymentView } from "../payments/payments.ts";
import type { SandboxPayment } from "../payments/phone.ts";
import type { Delivery, StoredPayment } from "../state/records.ts";
import type { World } from "../state/world.ts";

/** What has happened in a sandbox since it was last told. Either list may be empty. */
export interface Activity {
  /** Payments that are new, or settled. */
  readonly payments: readonly SandboxPayment[];
  /** Deliveries with a new attempt. */
  readonly deliveries: readonly Delivery[];
}

/** Tells a listener what happens from now on, soon after it happened. Gives what ends it. */
export function watchActivity(world: World, listener: (activity: Activity) => void): () => void {
  let generation = -1;
  let known = 0;
  const open = new Set<StoredPayment>();
  /** How many attempts each delivery had, in the order of the log. */
  let attempts: number[] = [];

  function newPayments(): StoredPayment[] {
    const { payments } = world.state;
    const news = [...open].filter(({ status }) => status !== "pending");
    for (const one of news) open.delete(one);
    for (const one of payments.slice(known)) {
      if (one.status === "pending") open.add(one);
      news.push(one);
    }
    known = payments.length;
    return news;
  }

  function newAttempts(): Delivery[] {
    const { deliveries } = world.state;
    const news = deliveries.filter((one, at) => one.attempts.length !== (attempts[at] ?? 0));
    attempts = deliveries.map((one) => one.attempts.length);
    return news.map(deliveryView);
  }

  function look(): Activity {
    // Of a world that was put in the place of another, what it brings along is no news.
    if (generation !== world.generation) {
      generation = world.generation;
      open.clear();
      known = 0;
      newPayments();
      newAttempts();
      return { payments: [], deliveries: [] };
    }
    const payments = newPayments().map((one) => paymentView(one) as SandboxPayment);
    return { payments, deliveries: newAttempts() };
  }

  let due = false;
  const tell = () => {
    due = false;
    if (world.watchers.has(watcher)) listener(look());
  };
  const watcher = {
    changed: () => {
      if (due) return;
      due = true;
      setTimeout(tell, 0);
    },
    exchanged: () => {},
  };
  look();
  world.watchers.add(watcher);
  return () => {
    world.watchers.delete(watcher);
  };
}
