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

/** Listens to the page's events; counts the hints. */
async function listen({ url }: ServedSandbox) {
  const controller = new AbortController();
  closers.push(() => controller.abort());
  const response = await fetch(`${url}/_sandbox/events`, { signal: controller.signal });
  const heard = {
    status: response.status,
    hints: 0,
    ended: false,
    leave: () => controller.abort(),
  };
  const { body } = response;
  void (async () => {
    try {
      for await (const bytes of body ?? []) {
        heard.hints += new TextDecoder().decode(bytes).split("event: changed").length - 1;
      }
    } catch {
      // Left, or cut off.
    }
    heard.ended = true;
  })();
  return heard;
}

describe("the page's events", () => {
  test("say at once that there is something to see, then once for many changes", async () => {
    const { sandbox, served } = await open();
    const heard = await listen(served);
    await expect.poll(() => heard.hints).toBe(1);
    for (let count = 0; count < 500; count++) sandbox.phone(PHONE).setBalance(count);
    await expect.poll(() => heard.hints).toBe(2);
    sandbox.phone(PHONE).switchOff();
    await expect.poll(() => heard.hints).toBe(3);
  });

  test.each<[string, (world: Awaited<ReturnType<typeof open>>) => unknown]>([
    ["a call of the service", ({ sandbox }) => sandbox.fetch(`${sandbox.baseUrl}/merchant`)],
    ["a fault", ({ sandbox }) => sandbox.faults.add({ effect: { kind: "hang" } })],
    ["chaos", ({ sandbox }) => sandbox.chaos({ drop: 1 })],
    ["the clock", ({ sandbox }) => sandbox.clock.advance("1s")],
    ["a phone", ({ sandbox }) => sandbox.phone(PHONE).always("cancel")],
    ["a reset", ({ sandbox }) => sandbox.reset()],
    ["another world", ({ sandbox }) => sandbox.restore(sandbox.snapshot())],
  ])("tell of %s", async (_, change) => {
    const world = await open();
    const heard = await listen(world.served);
    await expect.poll(() => heard.hints).toBe(1);
    await change(world);
    await expect.poll(() => heard.hints).toBe(2);
  });

  test("end with the sandbox, and are refused to more pages than anybody opens", async () => {
    const { served } = await open();
    const all: Awaited<ReturnType<typeof listen>>[] = [];
    for (let count = 0; count < 64; count++) all.push(await listen(served));
    expect((await listen(served)).status).toBe(503);
    all[0]?.leave();
    await expect.poll(async () => (await listen(served)).status).toBe(200);
    await served.close();
    await expect.poll(() => all.every(({ ended }) => ended)).toBe(true);
  });
});
