import { fileURLToPath } from "node:url";
import { type EventKind, signWebhook, type WebhookHandler } from "malipo/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EVENT_KINDS } from "../../src/contract/events.ts";
import type { Inbox } from "../../src/webhooks/inbox/inbox-types.ts";
import { SECRET } from "../stress/inboxes/sender.ts";
import { until } from "./inbox-stage.ts";

/** The kinds that this version does not document, and the next one does. */
const NEW_KIND = "payment.reversed";

const EVENTS = fileURLToPath(new URL("../../src/contract/events.ts", import.meta.url));

/** A version of malipo with its own modules, which differs in the kinds of events that it knows. */
interface Version {
  readonly receivers: typeof import("malipo/webhooks");
  /** Opens an inbox on the store of the test. */
  open(): Inbox;
}

/** How an inbox takes part. */
export interface InboxOfVersions {
  /**
   * Creates an empty store. What it returns imports the inbox's module, which then belongs to a version,
   * and returns what opens it.
   */
  fresh(): () => Promise<() => Inbox>;
  /**
   * The same, with what this version stored when it did not know {@link NEW_KIND}: of each of the kinds that
   * versions know or not, one event that was processed and one that waits.
   */
  readonly stored?: () => () => Promise<() => Inbox>;
  /** The store is in one process, so that versions cannot run side by side. */
  readonly isSingleProcess?: boolean;
}

/** What the service says of an event: a payment has an amount and a status, whatever the kind. */
function dataOf(event: string, reference: string): Record<string, unknown> {
  const status = event.slice(event.indexOf(".") + 1);
  if (!event.startsWith("payment.")) return { reference, amount: "100.00", status };
  const number = Number(reference.replace(/\D/g, ""));
  const order = { currency: "KES", account_reference: `ORDER-${number}`, channel: "mpesa" };
  return { payment_id: number, reference, status, amount: "100.00", ...order };
}

/** The stored events: the first of each kind was processed, the second waits. */
const STORED = [
  [NEW_KIND, "PAY-1"],
  ["subscription.canceled", "SUB-1"],
  ["payment.completed", "PAY-1"],
  [NEW_KIND, "PAY-2"],
  ["subscription.canceled", "SUB-2"],
  ["payment.completed", "PAY-2"],
] as const;

/** Imports malipo as it would be with other kinds of events. */
async function versionWith(
  change: (kinds: string[]) => string[],
  load: () => Promise<() => Inbox>,
): Promise<Version> {
  vi.resetModules();
  vi.doMock(EVENTS, async (original) => {
    const events = await original<typeof import("../../src/contract/events.ts")>();
    return { ...events, EVENT_KINDS: change([...events.EVENT_KINDS]) };
  });
  const receivers = await import("malipo/webhooks");
  const open = await load();
  vi.doUnmock(EVENTS);
  return { receivers, open };
}

const VERSIONS = {
  previous: (kinds: string[]) => kinds.filter((kind) => kind !== "subscription.canceled"),
  this: (kinds: string[]) => kinds,
  next: (kinds: string[]) => [...kinds, NEW_KIND],
};
type Name = keyof typeof VERSIONS;

/** What an inbox promises while versions that know more and fewer kinds of events work on it. */
export function kindsSuite(
  name: string,
  { fresh, stored, isSingleProcess = false }: InboxOfVersions,
): void {
  describe(`${name}: versions that know other kinds of events`, () => {
    const running: { stop(options: { timeoutMs: number }): Promise<void> }[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((one) => one.stop({ timeoutMs: 500 })));
    });

    /** A store, and receivers of versions on it. */
    function stage(load = fresh()) {
      /** What the handlers saw: the version, the handler, the reference and the attempt. */
      const seen: string[] = [];
      const receiverOf = async (version: Name, handles: readonly string[]) => {
        const { receivers, open } = await versionWith(VERSIONS[version], load);
        const onError = vi.fn();
        const receiver = receivers.createWebhookReceiver({
          secret: SECRET,
          inbox: open(),
          onError,
          onUnhandled: () => {},
        });
        for (const kind of handles) {
          const see: WebhookHandler = async ({ event, data }, { attempt }) =>
            void seen.push(`${version} ${event} ${data.reference} ${attempt}`);
          if (kind === "other") receiver.onOther(see);
          else receiver.on(kind as EventKind, see);
        }
        running.push(receiver);
        const post = async (event: string, reference = "PAY-1") => {
          const timestamp = new Date().toISOString();
          const body = JSON.stringify({ event, timestamp, data: dataOf(event, reference) });
          const headers = { "x-service-signature": signWebhook(body, SECRET) };
          const response = await receiver.handle({ method: "POST", headers, body });
          return JSON.parse(response.body).ResultDesc;
        };
        const leave = async () => {
          running.splice(running.indexOf(receiver), 1);
          await receiver.stop();
        };
        return { ...receiver, onError, post, leave };
      };
      return { seen, receiverOf };
    }

    /** Waits until nothing waits and nothing runs. */
    const isEmpty = (receiver: { stats(): Promise<{ waiting: number; running: number }> }) =>
      until(async () => {
        const { waiting, running } = await receiver.stats();
        return waiting + running === 0;
      });

    test("an event that was stored before its kind was known is processed by its handler, once", async () => {
      const { seen, receiverOf } = stage();
      const old = await receiverOf("this", ["payment.completed"]);
      await old.start();
      expect(await old.post(NEW_KIND)).toBe("received");
      await old.leave();
      const next = await receiverOf("next", ["payment.completed", NEW_KIND]);
      expect(await next.post(NEW_KIND)).toBe("received before");
      await next.start();
      await until(() => seen.length > 0);
      await isEmpty(next);
      expect(await next.post(NEW_KIND)).toBe("received before");
      await next.leave();
      const back = await receiverOf("this", ["other"]);
      expect(await back.post(NEW_KIND)).toBe("received before");
      await back.start();
      await isEmpty(back);
      expect(seen).toEqual([`next ${NEW_KIND} PAY-1 1`]);
    });

    test("an event of a new kind is known to a version that goes back, and processed there", async () => {
      const { seen, receiverOf } = stage();
      const next = await receiverOf("next", []);
      expect(await next.post(NEW_KIND)).toBe("received");
      await next.leave();
      const back = await receiverOf("this", ["other"]);
      expect(await back.post(NEW_KIND)).toBe("received before");
      await back.start();
      await until(() => seen.length > 0);
      await isEmpty(back);
      await back.leave();
      const again = await receiverOf("next", [NEW_KIND, "other"]);
      expect(await again.post(NEW_KIND)).toBe("received before");
      await again.start();
      await isEmpty(again);
      expect(seen).toEqual([`this ${NEW_KIND} PAY-1 1`]);
    });

    test("an event of a kind that a version does not know any more is processed there, once", async () => {
      const { seen, receiverOf } = stage();
      const kind = "subscription.canceled";
      const now = await receiverOf("this", []);
      expect(await now.post(kind)).toBe("received");
      await now.leave();
      const previous = await receiverOf("previous", ["payment.completed", "other"]);
      expect(await previous.post(kind)).toBe("received before");
      expect(await previous.post(kind, "PAY-2")).toBe("received");
      await previous.start();
      await until(() => seen.length >= 2);
      await isEmpty(previous);
      await previous.leave();
      const back = await receiverOf("this", [kind]);
      for (const reference of ["PAY-1", "PAY-2"]) {
        expect(await back.post(kind, reference)).toBe("received before");
      }
      await back.start();
      await isEmpty(back);
      expect(seen.sort()).toEqual([`previous ${kind} PAY-1 1`, `previous ${kind} PAY-2 1`]);
    });

    test("an event of a kind without a handler waits beside one with a handler, and uses up no attempt", async () => {
      const { seen, receiverOf } = stage();
      const next = await receiverOf("next", [NEW_KIND]);
      await next.start();
      for (const kind of ["refund.created", NEW_KIND]) await next.post(kind);
      await until(() => seen.length === 1);
      await until(async () => (await next.stats()).unhandled === 1);
      expect(await next.deadLetters.list()).toEqual([]);
      expect(next.onError).not.toHaveBeenCalled();
      await next.leave();
      const other = await receiverOf("this", ["other"]);
      await other.start();
      await isEmpty(other);
      expect(seen).toEqual([`next ${NEW_KIND} PAY-1 1`, "this refund.created PAY-1 1"]);
    });

    test.runIf(stored).each(["previous", "this", "next"] as const)(
      "what is stored is known to every version, and what waits is processed once: %s",
      async (version) => {
        const { seen, receiverOf } = stage(stored?.());
        const known = VERSIONS[version]([...EVENT_KINDS]);
        const receiver = await receiverOf(version, ["other", ...known]);
        for (const [event, reference] of STORED) {
          expect(await receiver.post(event, reference), event).toBe("received before");
        }
        await receiver.start();
        await until(() => seen.length >= STORED.length / 2);
        await isEmpty(receiver);
        await receiver.leave();
        const after = await receiverOf(version === "this" ? "next" : "this", ["other"]);
        for (const [event, reference] of STORED) {
          expect(await after.post(event, reference), event).toBe("received before");
        }
        await after.start();
        await isEmpty(after);
        const waiting = STORED.filter(([, reference]) => reference.endsWith("2"));
        expect(seen.sort()).toEqual(
          waiting.map(([event, reference]) => `${version} ${event} ${reference} 1`).sort(),
        );
        expect(await after.conflicts.list()).toEqual([]);
      },
    );

    test.skipIf(isSingleProcess)(
      "a delivery that comes to two versions side by side is processed once",
      async () => {
        const { seen, receiverOf } = stage();
        const old = await receiverOf("this", ["other"]);
        const next = await receiverOf("next", [NEW_KIND, "subscription.canceled"]);
        await Promise.all([old.start(), next.start()]);
        const references = Array.from({ length: 20 }, (_, at) => `PAY-${at}`);
        for (const reference of references) {
          await Promise.all([old.post(NEW_KIND, reference), next.post(NEW_KIND, reference)]);
        }
        await until(() => seen.length >= references.length);
        await isEmpty(next);
        const found = seen.map((one) => one.split(" ").slice(1).join(" "));
        expect(found.sort()).toEqual(references.map((one) => `${NEW_KIND} ${one} 1`).sort());
      },
    );
  });
}
