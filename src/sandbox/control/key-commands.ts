import { type Command, defineCommand, textField } from "./types.ts";

/** The keys of the sandbox. */
export const KEY_COMMANDS = {
  "keys/revoke": defineCommand({
    summary: "Revokes a key, which gets 401 from now on, and makes another one of its kind.",
    path: "/keys/revoke",
    fields: ["key"],
    act: ({ sandbox }, fields) => {
      const given = textField(fields, "key") || "secret";
      const key = (sandbox.keys as Readonly<Record<string, string>>)[given] ?? given;
      return { key: sandbox.revokeKey(key) };
    },
    message: ({ key }) => `The key is revoked. The new one is ${key}`,
  }),
} as const satisfies Record<string, Command>;
