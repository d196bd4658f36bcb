/** The phone commands of the sandbox's table that the command line offers, without `phone/`. */
export const PHONE_SUBCOMMANDS = [
  "approve",
  "cancel",
  "wrong-pin",
  "ignore",
  "off",
  "on",
  "balance",
  "always",
] as const;

export type PhoneSubcommand = (typeof PHONE_SUBCOMMANDS)[number];

/** What a phone command takes beside the number: the name of the field, and what is known of it. */
export const PHONE_VALUES: Readonly<
  Partial<Record<PhoneSubcommand, { name: string; values?: readonly string[]; example: string }>>
> = {
  balance: { name: "balance", example: "1500.00" },
  always: {
    name: "answer",
    values: ["approve", "cancel", "wrongPin", "ignore", "ask"],
    example: "cancel",
  },
};
