import { Gateway } from "malipo";
import { createSandbox, type Deliver, type Sandbox } from "malipo/sandbox";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { faultsMet, type PlannedFault } from "./faults.ts";

/** A payment in the service's own ledger. */
export interface LedgerEntry {
  readonly account_reference: string;
  readonly reference: string;
  readonly status: string;
  readonly cents: number;
  readonly phone: string;
  /** That of the prompt on the phone: a phone with an open prompt shows no second one. */
  readonly checkout_request_id?: string;
  /** The customer did not answer. */
  readonly ignored?: boolean;
}

/** The service: a sandbox on real HTTP, in real time, behind a proxy that injects faults. */
export interface Service {
  readonly sandbox: Sandbox;
  readonly faultProxy: FaultProxy;
  readonly baseUrl: string;
  /** The service's own record of payments. */
  ledger(): LedgerEntry[];
  /** The faults that have hit a request. */
  faultsMet(): readonly PlannedFault[];
  /** From now on there are no faults, neither of the service nor of its proxy. */
  stopFaults(): void;
  close(): Promise<void>;
}

export async function startService(
  seed: string,
  deliver: Deliver,
  faults: readonly PlannedFault[],
): Promise<Service> {
  const sandbox = createSandbox({ seed, clock: "real", auto: "none", deliver });
  const served = await sandbox.serve({ port: 0 });
  const faultProxy = await startFaultProxy(seed, served.port);
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: served.baseUrl });
  await gateway.webhooks.register({
    name: "shop",
    url: "https://shop.example/webhooks",
    events: ["payment.initiated", "payment.completed", "payment.failed"],
  });
  for (const { fault } of faults) sandbox.faults.add(fault);
  const met = () => faultsMet(faults, sandbox.snapshot().faults as PlannedFault["fault"][]);
  let atStop: readonly PlannedFault[] | undefined;
  return {
    sandbox,
    faultProxy,
    baseUrl: served.baseUrl.replace(String(served.port), String(faultProxy.port)),
    ledger: () => sandbox.snapshot().payments as unknown as LedgerEntry[],
    faultsMet: () => atStop ?? met(),
    stopFaults: () => {
      atStop = met();
      sandbox.faults.clear();
      faultProxy.stopFaults();
    },
    close: async () => {
      await faultProxy.close();
      await served.close();
    },
  };
}
