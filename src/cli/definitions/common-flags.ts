import type { FlagRows } from "../../internal/flags.ts";

// The flags that several commands take.

export const SANDBOX_URL: FlagRows = {
  "--url <url>": "the URL of the running sandbox [otherwise: the one that is running]",
};

export const BASE_URL: FlagRows = {
  "--base-url <url>": "the URL of the service, with its path prefix [otherwise: MALIPO_BASE_URL]",
};

/** A command that has it reads it before it looks for a variable. */
export const ENV_FILE: FlagRows = {
  "--env-file <path>": "a file with variables that are not set, such as .env",
};

export const GATEWAY: FlagRows = {
  ...BASE_URL,
  ...ENV_FILE,
  "--key-file <path>":
    "a file that contains only the API key [otherwise: the key in MALIPO_API_KEY]",
};

/** @param note - Another note about `--secret`. */
export const secretFlags = (note = ""): FlagRows => ({
  "--secret-file <path>":
    "a file that contains only the webhook signing secret [otherwise: the secret in MALIPO_WEBHOOK_SECRET]",
  "--secret <secret>": `the webhook signing secret, exactly as the service shows it. Other users of this machine can see it: prefer --secret-file or MALIPO_WEBHOOK_SECRET [otherwise: MALIPO_WEBHOOK_SECRET${note}]`,
});
