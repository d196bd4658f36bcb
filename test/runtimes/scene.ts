import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";

/** What the conformance script gets in every runtime. */
export interface Scene {
  readonly baseUrl: string;
  readonly keys: Readonly<Record<"public" | "secret", string>>;
  /** A payment that is completed. */
  readonly reference: string;
  /** Whether it runs in a page, in which a secret key must be rejected. */
  readonly isPage: boolean;
}

/** A gateway on loopback with one completed payment. */
export async function openScene(): Promise<{ scene: Scene; close(): Promise<void> }> {
  const sandbox = createSandbox();
  const service = await sandbox.serve({ port: 0 });
  const { baseUrl } = service;
  const { keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl });
  const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712000000" });
  sandbox.phone("0712000000").approve();
  return { scene: { baseUrl, keys, reference, isPage: false }, close: () => service.close() };
}
