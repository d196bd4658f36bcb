import { Gateway } from "malipo";
import { createSandbox, type Deliver, type Sandbox } from "malipo/sandbox";
import type { LedgerEntry } from "./check.ts";
import type { PlannedFault } from "./faults.ts";
import { type Gate, openGate } from "./gate.ts";

/** The service: a sandbox on real HTTP, in real time, behind a gate. */
export interface Service {
  readonly sandbox: Sandbox;
  readonly gate: Gate;
  readonly baseUrl: string;
  /** What the service itself knows of payments. */
  ledger(): LedgerEntry[];
  /** The faults that no request has met. */
  faultsLeft(): PlannedFault["fault"][];
  close(): Promise<void>;
}

export async function startService(
  seed: string,
  deliver: Deliver,
  faults: readonly PlannedFault[],
): Promise<Service> {
  const sandbox = createSandbox({ seed, clock: "real", auto: "none", deliver });
  const served = await sandbox.serve({ port: 0 });
  const gate = await openGate(seed, served.port);
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: served.baseUrl });
  await gateway.webhooks.register({
    name: "shop",
    url: "https://shop.example/webhooks",
    events: ["payment.initiated", "payment.completed", "payment.failed"],
  });
  for (const { fault } of faults) sandbox.faults.add(fault);
  return {
    sandbox,
    gate,
    baseUrl: served.baseUrl.replace(String(served.port), String(gate.port)),
    ledger: () => sandbox.snapshot().payments as LedgerEntry[],
    faultsLeft: () => sandbox.snapshot().faults as PlannedFault["fault"][],
    close: async () => {
      await gate.close();
      await served.close();
    },
  };
}
