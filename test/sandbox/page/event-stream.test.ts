import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, describe, expect, test } from "vitest";

const PHONE = "0712345678";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open() {
  const sandbox = createSandbox();
  const served = await sandbox.serve({ port: 0 });
  closers.push(() => served.close());
  return { sandbox, served };
}

/** Listens to the page's event stream, and counts the events. */
async function listen({ url }: ServedSandbox) {
  const controller = new AbortController();
  closers.push(() => controller.abort());
  const response = await fetch(`${url}/_sandbox/events`, { signal: controller.signal });
  const stream = {
    status: response.status,
    events: 0,
    ended: false,
    close: () => controller.abort(),
  };
  const { body } = response;
  void (async () => {
    try {
      for await (const bytes of body ?? []) {
        stream.events += new TextDecoder().decode(bytes).split("event: changed").length - 1;
      }
    } catch {
      // Closed by one of the two ends.
    }
    stream.ended = true;
  })();
  return stream;
}

describe("the page's event stream", () => {
  test("sends one event at once, then one for many changes", async () => {
    const { sandbox, served } = await open();
    const stream = await listen(served);
    await expect.poll(() => stream.events).toBe(1);
    for (let count = 0; count < 500; count++) sandbox.phone(PHONE).setBalance(count);
    await expect.poll(() => stream.events).toBe(2);
    sandbox.phone(PHONE).switchOff();
    await expect.poll(() => stream.events).toBe(3);
  });

  test.each<[string, (stage: Awaited<ReturnType<typeof open>>) => unknown]>([
    ["a call of the service", ({ sandbox }) => sandbox.fetch(`${sandbox.baseUrl}/merchant`)],
    ["a fault", ({ sandbox }) => sandbox.faults.add({ effect: { kind: "hang" } })],
    ["chaos", ({ sandbox }) => sandbox.chaos({ drop: 1 })],
    ["the clock", ({ sandbox }) => sandbox.clock.advance("1s")],
    ["a phone", ({ sandbox }) => sandbox.phone(PHONE).always("cancel")],
    ["a reset", ({ sandbox }) => sandbox.reset()],
    ["another sandbox", ({ sandbox }) => sandbox.restore(sandbox.snapshot())],
  ])("sends an event for %s", async (_, change) => {
    const stage = await open();
    const stream = await listen(stage.served);
    await expect.poll(() => stream.events).toBe(1);
    await change(stage);
    await expect.poll(() => stream.events).toBe(2);
  });

  test("ends with the sandbox, and has a maximum of 64 pages", async () => {
    const { served } = await open();
    const all: Awaited<ReturnType<typeof listen>>[] = [];
    for (let count = 0; count < 64; count++) all.push(await listen(served));
    expect((await listen(served)).status).toBe(503);
    all[0]?.close();
    await expect.poll(async () => (await listen(served)).status).toBe(200);
    await served.close();
    await expect.poll(() => all.every(({ ended }) => ended)).toBe(true);
  });
});
