import type { FlagRows, FlagsOf } from "../../internal/flags.ts";
import { GATEWAY } from "./common.ts";

/** The file of a profile. */
export const PROFILE = "malipo.service.json";

const PUBLIC_KEY_FILE = {
  "public-key-file": {
    value: "path",
    summary: "a file with a public key, to learn how the service rejects the wrong kind of key",
  },
} as const satisfies FlagRows;

const LIVE = {
  live: { summary: "allow a secret key (sk_), which acts on the merchant's real account" },
} as const satisfies FlagRows;

export const PROBE = {
  ...GATEWAY,
  ...PUBLIC_KEY_FILE,
  write: { summary: "also create an invoice and a webhook, and delete them again" },
  prompt: {
    value: "phone",
    summary: "also ask this phone to pay 1.00, and follow the payment to its end",
  },
  ...LIVE,
  out: { value: "path", summary: "the file for the profile, which is replaced", default: PROFILE },
} as const satisfies FlagRows;

export const LEARN_PROXY = {
  to: { value: "url", summary: "the base URL of the service, with its path prefix" },
  port: {
    value: "number",
    summary: "the port to listen on; 0 takes any free port",
    default: "4011",
  },
  out: {
    value: "path",
    summary: "the file for the profile; what it knows already stays in it",
    default: PROFILE,
  },
  "webhooks-to": {
    value: "url",
    summary: "your receiver: gets what is posted to /webhooks, and the profile its shapes",
  },
} as const satisfies FlagRows;

export const LEARN_TYPES = {
  out: {
    value: "path",
    summary: "the file for the types; - is the standard output",
    default: "malipo.service.d.ts",
  },
} as const satisfies FlagRows;

export const LEARN_MERGE = {
  out: {
    value: "path",
    summary: "the file for the merged profile",
    fallback: "the standard output",
  },
} as const satisfies FlagRows;

export const LEARN_CHECK = {
  against: { value: "path", summary: "the profile that the service should match" },
  ...GATEWAY,
  ...PUBLIC_KEY_FILE,
  ...LIVE,
} as const satisfies FlagRows;

/** What a probe reads. `learn check` asks like a probe and creates nothing, so it has not all of them. */
export type ProbeFlags = FlagsOf<typeof GATEWAY & typeof PUBLIC_KEY_FILE & typeof LIVE> &
  Partial<Pick<FlagsOf<typeof PROBE>, "write" | "prompt">>;
