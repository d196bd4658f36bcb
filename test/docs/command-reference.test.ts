import { describe, expect, test } from "vitest";
import { commandReference, commonFlags } from "../../scripts/command-reference.ts";
import { COMMAND_GROUPS } from "../../src/cli/definitions/index.ts";

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe.each(COMMAND_GROUPS)("the reference of the group $name", (group) => {
  const text = commandReference(group);

  test("has a section for each command, with every way to call it", () => {
    for (const { name, subcommands } of group.commands) {
      expect(text).toContain(`## malipo ${name}\n`);
      for (const one of subcommands.filter((other) => other.name !== undefined)) {
        expect(text).toMatch(new RegExp(`\`${name} ${one.name}[ \`]`));
      }
    }
  });

  test("names every flag, and explains one that several groups take only on the page before", () => {
    for (const { name, usage } of group.commands.flatMap(({ subcommands }) =>
      subcommands.flatMap(({ flags }) => flags),
    )) {
      expect(text).toMatch(new RegExp(`\`--${name}[ \`]`));
      if (["url", "base-url", "key-file", "secret-file"].includes(name)) {
        expect(text).not.toMatch(new RegExp(`^ *- .*${escaped(usage)}`, "m"));
        expect(commonFlags()).toContain(`\`${usage}\`: `);
      }
    }
  });

  test("has no table, which would be cut on a phone", () => {
    expect(text).not.toMatch(/^\|/m);
  });
});
