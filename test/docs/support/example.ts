import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { signWebhook } from "malipo/webhooks";
import { freePort } from "../../../src/drill/child.ts";

export const SECRET = "whsec_of_the_examples";

/** The event of a paid order, as the service sends it. */
export const paidFor = (order: string): string =>
  JSON.stringify({
    event: "payment.completed",
    timestamp: new Date().toISOString(),
    data: { reference: `PAY-${order}`, account_reference: order, status: "completed" },
  });

export const signatureOf = (body: string): Record<string, string> => ({
  "Content-Type": "application/json",
  "X-Service-Signature": signWebhook(body, SECRET),
});

/** An example that runs as a separate process. */
export interface Example {
  /** All that it has printed so far. */
  printed(): string;
  /** Sends a delivery; returns the status and the text of the response. */
  deliver(
    body: string,
    headers?: Record<string, string>,
  ): Promise<[status: number, description: string]>;
  /** Sends a signed delivery; returns the status of the response. */
  post(body: string): Promise<number>;
  get(): Promise<number>;
  /** Sends a signal; returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Runs an example. Waits until a server accepts connections. */
export async function runExample(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isServer = true,
): Promise<Example> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, MALIPO_WEBHOOK_SECRET: SECRET, PORT: `${port}`, ...env },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}/webhooks`;
  while (isServer) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(printed);
    const isUp = await fetch(url).then(Boolean, () => false);
    if (isUp) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    printed: () => printed,
    deliver: async (body, headers = signatureOf(body)) => {
      const response = await fetch(url, { method: "POST", headers, body });
      return [response.status, JSON.parse(await response.text()).ResultDesc];
    },
    post: async (body) =>
      (await fetch(url, { method: "POST", headers: signatureOf(body), body })).status,
    get: async () => (await fetch(url)).status,
    end: async (signal) => {
      child.kill(signal);
      const [code, by] = await exit;
      return code ?? by;
    },
  };
}
