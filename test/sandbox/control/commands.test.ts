import { describe, expect, test } from "vitest";
import {
  COMMANDS,
  type CommandName,
  commandRequest,
} from "../../../src/sandbox/control/commands.ts";
import type { Command } from "../../../src/sandbox/control/define-command.ts";

const commands = Object.entries<Command>(COMMANDS);

describe("the table of commands", () => {
  test.each(commands)("%s has a full sentence as its summary", (_, { summary }) => {
    expect(summary).toMatch(/^[A-Z].+\.$/);
  });

  test.each(commands)("%s has a field for each name in its path", (_, { path = "", fields }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(fields).toEqual(expect.arrayContaining(names));
  });

  test("no two commands have the same path", () => {
    const paths = commands.flatMap(([, { path }]) => path ?? []);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe("commandRequest", () => {
  test.each<[CommandName, Record<string, string>, object]>([
    ["clock", { by: "61s" }, { path: "/clock/advance", body: { by: "61s" } }],
    ["phone/approve", { number: "+254 7/1" }, { path: "/phones/%2B254%207%2F1/approve" }],
    ["phone/off", { number: "0712345678" }, { path: "/phones/0712345678/off" }],
    ["deliveries/resend", { id: "dlv_1" }, { path: "/deliveries/dlv_1/resend" }],
  ])("puts the fields of %s in the path or in the body", (name, fields, request) => {
    expect(commandRequest(name, fields)).toEqual({ method: "POST", ...request });
  });

  test("throws for a command that only the page has", () => {
    expect(() => commandRequest("phone/pin", {})).toThrow(
      'The control API has no command "phone/pin".',
    );
  });
});
