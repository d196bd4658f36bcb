/** The phone commands of the sandbox's table that the command line offers, without `phone/`. */
export const PHONE_SUBCOMMANDS = ["approve", "cancel", "wrong-pin", "ignore", "off", "on"] as const;

export type PhoneSubcommand = (typeof PHONE_SUBCOMMANDS)[number];
