import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Gateway } from "../../../src/index.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { CLI } from "../command-line.ts";

// On Linux, `script` runs a command on a new terminal.
test.skipIf(process.platform !== "linux")(
  "payments wait says on a terminal what it waits for",
  async () => {
    const sandbox = createSandbox({ clock: "real", auto: "none" });
    const { baseUrl, close } = await sandbox.serve({ port: 0 });
    const apiKey = sandbox.keys.secret;
    try {
      const gateway = new Gateway({ apiKey, baseUrl });
      const order = { amount: 1, phone: "0712345678" };
      const { reference } = await gateway.mobileMoney.initiate(order);
      const command = `${process.execPath} ${CLI} payments wait ${reference} --timeout 4s; true`;
      const env = { ...process.env, MALIPO_API_KEY: apiKey, MALIPO_BASE_URL: baseUrl };
      const { stdout } = await promisify(execFile)("script", ["-qec", command, "/dev/null"], {
        env,
      });
      expect(stdout).toContain(`Waiting at most 4 s for ${reference} to reach a final status`);
    } finally {
      await close();
    }
  },
);
