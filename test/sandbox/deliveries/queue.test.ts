import { type Activity, createSandbox, type Sandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

/** A sandbox whose receivers respond when the test says so, or return 500 at once. */
function withReceivers(...urls: string[]) {
  const open: { url: string; respond: (status: number) => void }[] = [];
  let failing = false;
  const sandbox = createSandbox({
    deliveryTimeoutMs: 60_000,
    deliver: ({ url }) =>
      new Promise((resolve) => {
        if (failing) resolve(new Response(null, { status: 500 }));
        open.push({ url, respond: (status) => resolve(new Response(null, { status })) });
      }),
  });
  const call = (method: string, path: string, body: object) =>
    sandbox.fetch(sandbox.baseUrl + path, {
      method,
      headers: { "x-api-key": sandbox.keys.secret },
      body: JSON.stringify(body),
    });
  const register = () =>
    Promise.all(
      urls.map((url) =>
        call("POST", "/webhooks/register", { name: "x", url, events: ["invoice.created"] }),
      ),
    );
  const ready = register();
  const emit = async (times: number) => {
    await ready;
    for (let at = 0; at < times; at++) await call("POST", "/invoices", {});
  };
  const setFailing = (does: boolean) => {
    failing = does;
  };
  return { sandbox, open, setFailing, register, emit };
}

const PHONE = "0712345678";
const DEAD = "https://dead.example/";
const ALIVE = "https://alive.example/";

describe("deliveries to an address that never responds", () => {
  test("are a hundred in flight at once; the others wait in order", async () => {
    const { sandbox, open, emit } = withReceivers(DEAD);
    await emit(130);
    expect(open).toHaveLength(100);
    for (const { respond } of open.slice(0, 30)) respond(200);
    await expect.poll(() => open).toHaveLength(130);
    for (const { respond } of open) respond(200);
    await sandbox.deliveries.settled();
    const all = sandbox.deliveries.all();
    expect(all.map(({ state }) => state)).toEqual(Array(130).fill("delivered"));
    expect(all.map(({ attempts }) => attempts.length)).toEqual(Array(130).fill(1));
  });

  test("delay no delivery to another address", async () => {
    const { open, emit } = withReceivers(DEAD, ALIVE);
    await emit(130);
    const alive = () => open.filter(({ url }) => url === ALIVE);
    for (const { respond } of alive()) respond(200);
    await expect.poll(alive).toHaveLength(130);
    expect(open).toHaveLength(230);
  });

  test("are at most ten thousand; any further one fails at once, and says why", async () => {
    const { sandbox, open, register, emit } = withReceivers(DEAD);
    await emit(10_002);
    const failed = sandbox.deliveries.all().filter(({ state }) => state === "failed");
    expect(failed).toHaveLength(2);
    expect(failed[0]?.attempts).toMatchObject([
      { error: "not sent: 10000 deliveries are pending for this address already" },
    ]);
    // One that arrives makes room for one.
    open[0]?.respond(200);
    await expect.poll(() => sandbox.deliveries.all()[0]?.state).toBe("delivered");
    await emit(2);
    expect(
      sandbox.deliveries
        .all()
        .slice(-2)
        .map(({ state }) => state),
    ).toEqual(["pending", "failed"]);
    // After a reset the count starts again, and nothing of the old state is sent.
    const sent = open.length;
    const snapshot = sandbox.snapshot();
    sandbox.reset();
    for (const { respond } of open) respond(200);
    await sandbox.deliveries.settled();
    expect(open).toHaveLength(sent);
    await register();
    await emit(1);
    expect(sandbox.deliveries.all().map(({ state }) => state)).toEqual(["pending"]);
    sandbox.restore(snapshot);
    await emit(1);
    expect(sandbox.deliveries.all().at(-1)?.state).toBe("failed");
  });

  test("that failed make room too", async () => {
    const { sandbox, setFailing, emit } = withReceivers(DEAD);
    setFailing(true);
    await emit(1);
    await sandbox.clock.advance("3h");
    expect(sandbox.deliveries.all()[0]).toMatchObject({ state: "failed", attempts: { length: 6 } });
    setFailing(false);
    await emit(10_001);
    const states = sandbox.deliveries.all().map(({ state }) => state);
    expect(states.slice(-2)).toEqual(["pending", "failed"]);
  });
});

describe("watch()", () => {
  const initiate = ({ fetch, baseUrl, keys }: Sandbox, phone: string) =>
    fetch(`${baseUrl}/payments/initiate`, {
      method: "POST",
      headers: { "x-api-key": keys.secret },
      body: JSON.stringify({ amount: 1, phone }),
    });

  test("calls the listener with each payment and each attempt once", async () => {
    const activities: Activity[] = [];
    const { sandbox, open, emit } = withReceivers(ALIVE);
    await emit(1);
    const stop = sandbox.watch((activity) => activities.push(activity));
    const seen = () => activities.flatMap(({ payments }) => payments.map(({ status }) => status));
    await initiate(sandbox, PHONE);
    await expect.poll(seen).toEqual(["pending"]);
    sandbox.phone(PHONE).approve();
    await expect.poll(seen).toEqual(["pending", "completed"]);
    open[0]?.respond(200);
    await expect
      .poll(() => activities.flatMap(({ deliveries }) => deliveries))
      .toMatchObject([{ state: "delivered", attempts: [{ status: 200 }] }]);
    // Any other change calls the listener with empty lists.
    activities.length = 0;
    sandbox.phone(PHONE).switchOff();
    await expect.poll(() => activities).toEqual([{ payments: [], deliveries: [] }]);
    // What a restored snapshot contains has not happened just now.
    activities.length = 0;
    const elsewhere = createSandbox({ deliver: async () => new Response() });
    for (const phone of ["0712345601", "0712345602"]) await initiate(elsewhere, phone);
    sandbox.restore(elsewhere.snapshot());
    await expect.poll(() => activities).toEqual([{ payments: [], deliveries: [] }]);

    stop();
    sandbox.phone(PHONE).switchOn();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(activities).toHaveLength(1);
  });
});
