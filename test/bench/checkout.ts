// What an order costs beside a bare call: npm run bench -- checkout [--rounds 15]
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Gateway } from "malipo";
import { createCheckout } from "malipo/checkout";
import { onEngines, type Store } from "./databases.ts";
import { inTurn, medians } from "./rounds.ts";
import { atMost, type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
  },
});
const rounds = Number(values.rounds);

const goals: Goal[] = [];

const CALLS = 200;
const MAX_PAY_RATIO = 1.5;

/** CPU time of `pay` beside `initiate` with a key, on the same engine. */
async function benchPay(name: string, store: Store): Promise<void> {
  const server = fork(fileURLToPath(new URL("./call-server.ts", import.meta.url)));
  const [port] = await once(server, "message");
  const options = { apiKey: "sk_bench", baseUrl: `http://127.0.0.1:${port}/api/v1` };
  const gateway = new Gateway({ ...options, idempotency: store });
  const checkout = createCheckout({
    ...{ store, gateway: options, secret: "secret", onPaid: () => {} },
  });
  let count = 0;
  const next = () => {
    const number = ++count;
    return { id: `PAY-${number}`, phone: `254${700_000_000 + number}` };
  };
  const candidates = [
    {
      name: "initiate, with a key",
      run: inTurn(() => {
        const { id, phone } = next();
        const params = { amount: 1_500, phone, account_reference: id };
        return gateway.mobileMoney.initiate(params, { idempotencyKey: id });
      }),
    },
    {
      name: "checkout.pay, a new order",
      run: inTurn(async () => {
        const order = await checkout.pay({ ...next(), amount: 1_500 });
        if (order.status !== "pending") throw new Error(`It was not sent: ${order.message}`);
      }),
    },
  ];
  const how = { what: "pay", rounds, times: CALLS, clock: "cpu" } as const;
  const micros = await medians(candidates, how);
  server.disconnect();
  await checkout.stop();
  const [withKey = 1, pay = 1] = micros;
  const rows = candidates.map((one, at) => {
    const us = micros[at] ?? 0;
    return [one.name, us.toFixed(0), (us / withKey).toFixed(2)];
  });
  console.log(
    `\n${name}: one call over loopback; CPU time of the shop; medians of ${rounds} interleaved rounds of ${CALLS}.\n`,
  );
  console.log(textTable(["what", "us of CPU time", "against initiate with a key"], rows));
  goals.push(atMost(`${name}: pay, beside initiate with a key,`, MAX_PAY_RATIO, pay / withKey));
}

await onEngines(undefined, async (engine) => {
  const database = await engine.open("pay");
  await benchPay(engine.name, database.store);
  await database.close();
});
console.log();
for (const one of goals) console.log(goalLine(one));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
