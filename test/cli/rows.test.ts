import { describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { candidates } from "../../src/cli/completion.ts";
import { controlCommands } from "../../src/cli/definitions/control.ts";
import { endpointCommands } from "../../src/cli/definitions/endpoint-calls.ts";
import { commandHelp } from "../../src/cli/help.ts";
import { parse } from "../../src/cli/parse.ts";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { COMMANDS } from "../../src/sandbox/control/commands.ts";
import type { Command as ControlRow } from "../../src/sandbox/control/define-command.ts";

const helpOf = (commands: readonly Command[], name: string, subcommandName: string) => {
  const command = commands.find((one) => one.name === name) as Command;
  const subcommand = command.subcommands.find((one) => one.name === subcommandName);
  return commandHelp(command, subcommand, {});
};

describe("a new endpoint", () => {
  const row: Endpoint = {
    method: "POST",
    path: "/payments/{reference}/refund",
    scope: undefined,
    keys: ["secret"],
    effect: "create",
    request: "anyObject",
  };
  const list: Endpoint = {
    method: "GET",
    path: "/payouts",
    scope: undefined,
    keys: ["secret"],
    effect: "read",
    list: true,
  };
  const commands = endpointCommands({
    ...ENDPOINTS,
    "payments.refundPart": row,
    "payouts.list": list,
  });

  test("has a command with its arguments and flags", () => {
    const parsed = parse(commands, ["payments", "refund-part", "PAY-1", "--set", "amount=5"]);
    expect(parsed).toMatchObject({
      kind: "call",
      subcommand: { creates: true },
      input: { args: ["PAY-1"], flags: { set: ["amount=5"] } },
    });
    expect(parse(commands, ["payouts", "list", "--query", "page=2"])).toMatchObject({
      input: { flags: { query: ["page=2"] } },
    });
    expect(() => parse(commands, ["payments", "refund-part"])).toThrow("requires <reference>");
  });

  test("has a help with an example", () => {
    const help = helpOf(commands, "payments", "refund-part");
    expect(help).toContain("malipo payments refund-part <reference> [flags]");
    expect(help).toContain("Retried automatically only while nothing can have happened");
    expect(help).toContain("malipo payments refund-part PAY-7Q2M9X4KD1TB --data @fields.json");
    expect(help).toContain("--data <json>");
  });

  test("is completed by the shells", () => {
    expect(candidates(commands, ["payouts", "l"])).toEqual([expect.stringMatching(/^list\t/)]);
    expect(candidates(commands, ["payments", "refund-part", "--da"])).toHaveLength(1);
  });
});

describe("a new command of the control API", () => {
  const row: ControlRow = {
    summary: "Cuts the network of a phone.",
    path: "/phones/{number}/cut",
    fields: ["number", "by", "ms", "keep_receivers"],
    required: ["by"],
    act: () => ({}),
    message: () => "Cut.",
  };
  const commands = controlCommands({ ...COMMANDS, "phone/cut": row });

  test("has a command with its arguments and flags", () => {
    const argv = ["phone", "cut", "0712345678", "61s", "--ms", "5", "--keep-receivers"];
    expect(parse(commands, argv)).toMatchObject({
      kind: "call",
      input: { args: ["0712345678", "61s"], flags: { ms: "5", "keep-receivers": true } },
    });
    expect(() => parse(commands, ["phone", "cut", "0712345678"])).toThrow("requires <by>");
  });

  test("has a help with an example, and is completed by the shells", () => {
    const help = helpOf(commands, "phone", "cut");
    expect(help).toContain("malipo phone cut <number> <by> [flags]");
    expect(help).toContain("malipo phone cut 0712345678 1");
    expect(help).toMatch(/--ms <number> +how long to wait, in milliseconds/);
    expect(candidates(commands, ["phone", "cu"])).toHaveLength(1);
    expect(candidates(commands, ["phone", "cut", "--ke"])).toHaveLength(1);
  });
});
