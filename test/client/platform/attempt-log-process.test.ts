import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

test("a process whose stderr is closed goes on", async () => {
  const program = `
    import { Gateway } from "./src/client/gateway.ts";
    const gateway = new Gateway({
      apiKey: "sk_1",
      baseUrl: "https://gateway.test/v1",
      fetch: async () => Response.json({ data: {} }),
    });
    process.stdin.once("data", async () => {
      for (let call = 0; call < 50; call++) {
        await gateway.merchant.get();
        await new Promise(setImmediate);
      }
      console.log("paid");
      process.exit();
    });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, MALIPO_LOG: "debug" },
  });
  child.stderr.destroy();
  await once(child.stderr, "close");
  child.stdin.write("now");
  const [printed] = await once(child.stdout, "data");
  expect(String(printed)).toBe("paid\n");
});
