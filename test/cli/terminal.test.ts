import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { malipo, startCommand } from "./in-process.ts";

// What would clear the screen, set the title, turn text round, be invisible, and begin another row.
const HOSTILE = "a\u001b[2Jb\u009b31mc\u202ed\u0007e\u200bf\u{e0041}\r\nmalipo: paid";
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Cf}]/u;

/** A service all of whose texts are hostile. */
const service = createServer((request, response) => {
  const { url = "", method } = request;
  const fields = { reference: HOSTILE, status: HOSTILE, [HOSTILE]: HOSTILE };
  const isList = method === "GET" && url.endsWith("s");
  response.setHeader("content-type", "application/json");
  if (url.endsWith("/X-1")) response.statusCode = 404;
  const answer = url.endsWith("/X-1")
    ? { success: false, error: HOSTILE }
    : { success: true, data: isList ? [fields] : fields, meta: { [HOSTILE]: HOSTILE } };
  response.end(JSON.stringify(answer));
});
let env: Record<string, string>;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  env = {
    MALIPO_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MALIPO_API_KEY: "sk_1",
    FORCE_COLOR: "1",
  };
});
afterAll(() => {
  service.close();
});

/** The escapes of the colours of malipo. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what it looks for
const withoutColour = (text: string) => text.replace(/\u001b\[(?:1|2|22|31|32|33|39)m/g, "");

const CALLS = [
  ["payments", "list"],
  ["payments", "get", "X-2"],
  ["payments", "get", "X-1"],
  ["invoices", "list"],
  ["webhooks", "list"],
  ["merchant", "get"],
  ["merchant", "payment-accounts"],
  ["payments", HOSTILE],
  ["payments", "list", `--${HOSTILE}`],
  ["trigger", HOSTILE, "--to", "http://localhost:1"],
  ["explain", HOSTILE],
  ["verify", HOSTILE, "--signature", "00", "--secret", "s"],
];

describe.concurrent("text from a service, a file or an argument", () => {
  test.for(CALLS)("does not control the terminal: %j", async (call, { expect }) => {
    for (const args of [call, [...call, "--json"]]) {
      const { stdout, stderr } = await malipo(args, { env });
      const text = withoutColour(stdout + stderr);
      expect(text).toMatch(/b\S*c/);
      expect(text).not.toMatch(CONTROLS);
      // No row begins with what it says.
      expect(text).not.toMatch(/^malipo: paid/m);
    }
  });
});

test("an output shows colours only if it does so itself, whatever the other one shows", async () => {
  let stdout = "";
  const write = (text: string) => {
    stdout += text;
  };
  const own = { stdout: { hasColour: true, write } };
  expect(await startCommand(["--help"], {}, own).ended).toBe(EXIT.ok);
  expect(stdout).toContain("\u001b[1m");
  const { ended, stderr } = startCommand(["xyzzy"], {}, own);
  expect(await ended).toBe(EXIT.usage);
  expect(stderr()).toMatch(/^malipo: Unknown command/);
});

test("all output goes through the one place that makes it safe", () => {
  // `main.ts` writes only the version of Node.js, which is too old to load that place.
  const safe = ["src/cli/terminal/output.ts", "src/cli/main.ts"];
  const others = globSync("src/cli/**/*.ts").filter(
    (path) =>
      !safe.includes(path) &&
      /\b(?:console\.(?:log|error)\((?!.*\/\/ ")|stream\.write\(|std(?:out|err)\.write\()/.test(
        readFileSync(path, "utf8"),
      ),
  );
  expect(others).toEqual([]);
});
