import type { FlagRows, FlagsOf } from "../../internal/flags.ts";

// The flags that several commands take. A command imports the type of its flags from this folder, and its
// definition the rows: so neither loads the other.

export const SANDBOX_URL = {
  url: {
    value: "url",
    summary: "the URL of the running sandbox",
    fallback: "the one that is running",
  },
} as const satisfies FlagRows;

export const BASE_URL = {
  "base-url": {
    value: "url",
    summary: "the URL of the service, with its path prefix",
    fallback: "MALIPO_BASE_URL",
  },
} as const satisfies FlagRows;

/** A command that has it reads it before it looks for a variable. */
export const ENV_FILE = {
  "env-file": { value: "path", summary: "a file with variables that are not set, such as .env" },
} as const satisfies FlagRows;

export const GATEWAY = {
  ...BASE_URL,
  ...ENV_FILE,
  "key-file": {
    value: "path",
    summary: "a file that contains only the API key",
    fallback: "the key in MALIPO_API_KEY",
  },
} as const satisfies FlagRows;

export const SECRET = {
  "secret-file": {
    value: "path",
    summary: "a file that contains only the webhook signing secret",
    fallback: "the secret in MALIPO_WEBHOOK_SECRET",
  },
  secret: {
    value: "secret",
    summary:
      "the webhook signing secret. Other users of this machine can see it: prefer --secret-file",
    fallback: "MALIPO_WEBHOOK_SECRET",
  },
} as const satisfies FlagRows;

export type SandboxUrl = FlagsOf<typeof SANDBOX_URL>;
export type GatewayFlags = FlagsOf<typeof GATEWAY>;
export type SecretFlags = FlagsOf<typeof SECRET>;
