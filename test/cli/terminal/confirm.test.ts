import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Input } from "../../../src/cli/command.ts";
import { confirm } from "../../../src/cli/terminal/confirm.ts";

/** Asks on a terminal where a person types this. */
async function ask(typed: string) {
  let output = "";
  const write = (text: string) => {
    output += text;
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(typed);
  const io = { stdin, stdout: { write }, stderr: { write }, env: {}, cwd: "." };
  const input: Input<{ readonly yes: boolean }> = {
    ...{ args: [], argv: [], flags: { yes: false }, json: false },
    io: { ...io, onStop: () => () => {}, exit: () => {} },
  };
  const result = await confirm("1 order would be canceled", "ORDER-1", input).then(
    () => "done",
    (error: Error) => error.message,
  );
  return { output, result };
}

test.each([
  ["yes\n", "done"],
  [" yes \nno\n", "done"],
  ["no\n", "Nothing was changed."],
  ["\n", "Nothing was changed."],
  // Ctrl-D
  ["", "Nothing was changed."],
])("a question on a terminal that is answered with %j ends with: %s", async (typed, expected) => {
  const { output, result } = await ask(typed);
  expect(result).toBe(expected);
  expect(output).toBe("1 order would be canceled:\nORDER-1\nTo do it, type yes: ");
});
