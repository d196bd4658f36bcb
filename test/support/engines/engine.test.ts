import { expect, test } from "vitest";
import { startEngine } from "./engine.ts";

test("an engine that does not end by its signal is killed", async () => {
  const program = 'trap "" INT; echo ready; while :; do sleep 1; done';
  const engine = await startEngine({
    ...{ name: "deaf", ready: /ready/, crash: "SIGINT" },
    command: () => ["sh", "-c", program],
    url: (port) => `deaf://127.0.0.1:${port}`,
  });
  await expect(engine.stop()).resolves.toBeUndefined();
});
