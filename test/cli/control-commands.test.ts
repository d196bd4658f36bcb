import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { COMMANDS, CONTROL_PREFIX, type CommandName } from "../../src/sandbox/control/commands.ts";
import type { Command } from "../../src/sandbox/control/define-command.ts";
import { QUERIES } from "../../src/sandbox/control/queries.ts";
import { malipo, startSandbox } from "./in-process.ts";

let folder: string;
let state: string;
const phone = "0712345678";

/** The call for each command of the control API, and the body that it sends. */
const calls = (): Readonly<Partial<Record<CommandName, [args: string[], body?: object]>>> => ({
  "phone/approve": [["phone", "approve", phone]],
  "phone/cancel": [["phone", "cancel", phone]],
  "phone/wrong-pin": [["phone", "wrong-pin", phone]],
  "phone/ignore": [["phone", "ignore", phone]],
  "phone/off": [["phone", "off", phone]],
  "phone/on": [["phone", "on", phone]],
  "phone/balance": [["phone", "balance", phone, "50.00"], { balance: "50.00" }],
  "phone/always": [["phone", "always", phone, "cancel"], { answer: "cancel" }],
  clock: [["clock", "advance", "61s"], { by: "61s" }],
  "deliveries/resend": [["events", "resend", "X"]],
  "deliveries/resend-failed": [["events", "resend-failed"]],
  "webhooks/test": [
    ["events", "test", "X", "--event", "payment.failed"],
    { event: "payment.failed" },
  ],
  "faults/add": [
    ["faults", "add", "status", "--status", "500", "--path", "/payments"],
    { kind: "status", status: "500", path: "/payments" },
  ],
  "faults/remove": [["faults", "remove", "X"]],
  "keys/revoke": [["keys", "revoke", "secret"], { key: "secret" }],
  "faults/clear": [["faults", "clear"]],
  chaos: [["chaos", "start", "--lost-responses", "0.5"], { lostResponses: "0.5" }],
  "chaos/end": [["chaos", "end"]],
  "scenes/save": [["scenes", "save", "X"]],
  "scenes/load": [["scenes", "load", "X"]],
  "scenes/remove": [["scenes", "remove", "X"]],
  restore: [["scenes", "import", state], { snapshot: { version: 1 } }],
  reset: [
    ["reset", "--keep-receivers", "--save-as", "before"],
    { keep_receivers: true, save_as: "before" },
  ],
});

/** What other commands do: those that call the gateway, and `listen`, which does both. */
const ELSEWHERE: readonly CommandName[] = ["pay", "webhooks/register", "webhooks/remove"];

const OFFERED = Object.entries<Command>(COMMANDS).filter(
  ([name, { path }]) => path !== undefined && !ELSEWHERE.includes(name as CommandName),
);

const requests: { line: string; body: unknown }[] = [];
const server = createServer(async (request, response) => {
  const text = (await buffer(request)).toString();
  const line = `${request.method} ${request.url?.slice(CONTROL_PREFIX.length)}`;
  requests.push({ line, body: text === "" ? undefined : JSON.parse(text) });
  const data = {
    ...{
      id: "X",
      name: "X",
      number: phone,
      seed: "7",
      key: "sk_x",
      balance: "50.00",
      scene: "before",
    },
    ...{ now: "2026-01-01T09:00:00+03:00", sent: 1, delivered: 1, event: "x", state: "delivered" },
    ...{ attempts: [{ status: 200 }] },
  };
  response.end(JSON.stringify({ success: true, data }));
});
let url: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "malipo-control-"));
  state = join(folder, "state.json");
  writeFileSync(state, '{"version":1}');
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = ["--url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test.for(OFFERED)("the command line runs %s of the control API", async ([name, { path = "" }]) => {
  const [args = [], body] = calls()[name as CommandName] ?? [];
  requests.length = 0;
  const { code, stderr } = await malipo([...args, ...url]);
  expect([code, stderr]).toEqual([EXIT.ok, ""]);
  const filled = path.replace("{number}", phone).replace(/\{\w+\}/, "X");
  expect(requests).toEqual([{ line: `POST ${filled}`, body }]);
});

describe("the state of a sandbox", () => {
  test("moves to another sandbox in a file", async () => {
    const [one, other] = [await startSandbox(), await startSandbox()];
    await one.call("POST", "/payments/initiate", { amount: 5, phone });
    const { stdout } = await malipo(["scenes", "export", ...one.url]);
    writeFileSync(state, stdout);
    expect((await malipo(["scenes", "import", state, ...other.url])).code).toBe(EXIT.ok);
    const again = await malipo(["scenes", "export", ...other.url]);
    expect(JSON.parse(again.stdout).payments).toEqual(JSON.parse(stdout).payments);
    writeFileSync(state, "{");
    const broken = await malipo(["scenes", "import", state, ...other.url]);
    expect([broken.code, broken.stderr]).toEqual([EXIT.usage, expect.stringContaining("not JSON")]);
    await Promise.all([one.stop(), other.stop()]);
  });

  test("has a command for every query of the control API", () => {
    // `env`, `clock now`, `events list`, `logs`, `faults list`, `scenes list`, `scenes export`.
    expect(Object.keys(QUERIES)).toEqual([
      "/status",
      "/clock",
      "/deliveries",
      "/requests",
      "/faults",
      "/scenes",
      "/snapshot",
    ]);
  });
});
