import { ConfigurationError } from "malipo";
import pg from "pg";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import {
  type PostgresWakeups,
  postgresWakeups,
} from "../../../src/client/wakeups/postgres-wakeups.ts";
import { startPgBouncer } from "../../support/engines/pgbouncer.ts";
import { startPostgres } from "../../support/engines/postgres.ts";
import { createShop, ORDER, once, PHONE } from "../support/shop.ts";

const engine = await startPostgres();
const bouncer = engine && (await startPgBouncer(engine));

const opened: { pool: pg.Pool; wakeups?: PostgresWakeups }[] = [];
function connect(connectionString = engine?.url): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 3 });
  // Errors of a PostgreSQL that has stopped.
  pool.on("error", () => {});
  opened.push({ pool });
  return pool;
}

/** One machine: an own pool, and wake-ups over it. */
function machine(channel?: string, pool = connect()) {
  const wakeups = postgresWakeups({ pool }, { channel });
  opened.push({ pool, wakeups });
  return { ...wakeups, pool };
}

/** Notifies until the wake-up arrives: to listen takes a moment, and PostgreSQL keeps nothing. */
async function heard(from: { notify(reference: string): void }, look: ReturnType<typeof vi.fn>) {
  const heardOf = () => {
    from.notify("PAY-1");
    return look.mock.calls.length;
  };
  await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
}

test("an option that postgresWakeups does not have is rejected", () => {
  const pool = new pg.Pool();
  expect(() => postgresWakeups({ pool }, { chanel: "x" } as object)).toThrow(
    'postgresWakeups has no option "chanel". Its options are: channel.',
  );
});

test.each(["", "Wake", 'a"; DROP TABLE orders; --', "1a", "x".repeat(64), 7])(
  "the channel %j is rejected before any query",
  (channel) => {
    const pools = { pool: new pg.Pool() };
    expect(() => postgresWakeups(pools, { channel: channel as string })).toThrow(
      ConfigurationError,
    );
  },
);

describe.runIf(engine)("over PostgreSQL", () => {
  afterEach(async () => {
    for (const { wakeups } of opened) await wakeups?.close();
    await Promise.all([...new Set(opened.splice(0).map(({ pool }) => pool))].map((p) => p.end()));
  });
  afterAll(async () => {
    await bouncer?.stop();
    await engine?.stop();
  });

  test("a webhook of one merchant wakes only waits for that merchant's payment", async () => {
    const [here, there] = [machine(), machine()];
    const [own, other, none] = [vi.fn(), vi.fn(), vi.fn()];
    here.wakeOf("shop-1")("PAY-1", own);
    here.wakeOf("shop-2")("PAY-1", other);
    here.wake("PAY-1", none);
    await heard({ notify: (reference) => there.notify(reference, "shop-1") }, own);
    expect(other).not.toHaveBeenCalled();
    expect(none).not.toHaveBeenCalled();
  });

  test("a webhook that arrives at one machine ends a wait at another with the next read", async () => {
    const { sandbox, shop } = createShop();
    const { gateway, reads } = shop();
    const [here, there] = [machine(), machine()];
    const probe = vi.fn();
    const stop = here.wake("PAY-1", probe);
    await heard(there, probe);
    stop();

    const { reference } = await gateway.mobileMoney.initiate(ORDER);
    // The next read of the schedule would be too late.
    const busy = { kind: "status", status: 429, headers: { "retry-after": "3600" } } as const;
    sandbox.faults.add({ match: { method: "GET" }, effect: busy });
    const wait = gateway.payments.waitFor(reference, { wake: here.wake });
    await expect.poll(() => reads()).toBe(1);
    sandbox.phone(PHONE).approve();
    there.notify(reference);
    await expect(wait).resolves.toMatchObject({ status: "completed", reference });
    expect(reads()).toBe(2);
  });

  test("each machine gets the wake-up once, also the one that notifies", async () => {
    const machines = [machine(), machine()];
    for (const { wake } of machines) {
      const probe = vi.fn();
      wake("PAY-1", probe);
      await heard(machines[0] as (typeof machines)[0], probe);
    }
    // One connection, so that the notifications arrive in order.
    const send = (reference: string) =>
      machines[1]?.pool.query("SELECT pg_notify('malipo_wakeups', $1)", [reference]);
    const [looks, last] = [machines.map(() => vi.fn()), machines.map(() => vi.fn())];
    for (const [at, { wake }] of machines.entries()) {
      wake("PAY-2", looks[at] as () => void);
      wake("LAST", last[at] as () => void);
    }
    for (const reference of ["PAY-2", "PAY-3", "LAST"]) await send(reference);
    for (const look of last) await expect.poll(() => look).toHaveBeenCalledTimes(1);
    for (const look of looks) expect(look).toHaveBeenCalledTimes(1);
  });

  test("a reference of any characters arrives unchanged, up to 7,999 bytes", async () => {
    const { wake, notify } = machine();
    for (const reference of ["ünïcødé/💸", "a b\r\nc", "'; --", "", "é".repeat(3_999)]) {
      const look = vi.fn();
      wake(reference, look);
      const heardOf = () => {
        notify(reference);
        return look.mock.calls.length;
      };
      await expect.poll(heardOf, { interval: 20 }).toBeGreaterThan(0);
    }
    const [tooLong, last] = [vi.fn(), vi.fn()];
    wake("é".repeat(4_000), tooLong);
    wake("\0", tooLong);
    notify("é".repeat(4_000));
    notify("\0");
    wake("PAY-1", last);
    await heard({ notify }, last);
    expect(tooLong).not.toHaveBeenCalled();
  });

  test("channels stay apart, and may be named like a keyword", async () => {
    const [live, trial] = [machine("live"), machine("select")];
    const [mine, other] = [vi.fn(), vi.fn()];
    live.wake("PAY-1", mine);
    trial.wake("PAY-1", other);
    await heard(live, mine);
    expect(other).not.toHaveBeenCalled();
    await heard(trial, other);
  });

  test("wake-ups arrive again after the listening connection was ended, over one new connection", async () => {
    const { wake, notify, pool } = machine("ended");
    const look = vi.fn();
    wake("PAY-1", look);
    const listening = async () =>
      (await connect().query("SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN \"ended\"'"))
        .rows;
    for (let round = 0; round < 3; round++) {
      await heard({ notify }, look);
      const [{ pid }] = await listening();
      await connect().query("SELECT pg_terminate_backend($1)", [pid]);
      await expect.poll(async () => (await listening())[0]?.pid).not.toBe(pid);
      look.mockClear();
    }
    await heard({ notify }, look);
    expect(await listening()).toHaveLength(1);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
  });

  test.runIf(engine?.restarts)("wake-ups arrive again after a crash of PostgreSQL", async () => {
    const { wake, notify } = machine();
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
    await engine?.restart();
    look.mockClear();
    await heard({ notify }, look);
  });

  test("without PostgreSQL a wait goes on with its schedule, and nothing is thrown", async () => {
    // Nothing listens on this port.
    const { wake, notify } = machine(undefined, connect("postgres://test@127.0.0.1:1/none"));
    const { sandbox, shop } = createShop();
    const { gateway } = shop();
    const { reference } = await gateway.mobileMoney.initiate(ORDER);
    const wait = gateway.payments.waitFor(reference, {
      wake,
      waitMs: 800,
      onUpdate: once(() => {
        sandbox.phone(PHONE).approve();
        notify(reference);
      }),
    });
    await expect(wait).resolves.toMatchObject({ status: "completed" });
  });

  test("after close() there are no wake-ups, and the pool can be ended", async () => {
    const { wake, notify, close, pool } = machine("closed");
    const look = vi.fn();
    wake("PAY-1", look);
    await heard({ notify }, look);
    await close();
    await close();
    look.mockClear();
    await pool.query("SELECT pg_notify('closed', 'PAY-1')");
    const early = machine("closed");
    await early.close();
    const listening = "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN \"closed\"'";
    await expect.poll(async () => (await connect().query(listening)).rows).toEqual([]);
    expect(look).not.toHaveBeenCalled();
  });

  test.runIf(bouncer)("a pool through PgBouncer notifies, and a direct one listens", async () => {
    const pool = connect(bouncer?.url);
    const wakeups = postgresWakeups({ pool, listenPool: connect() });
    opened.push({ pool, wakeups });
    const look = vi.fn();
    wakeups.wake("PAY-1", look);
    await heard(wakeups, look);
  });
});
