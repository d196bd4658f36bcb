import type { FlagRows } from "../../internal/flags.ts";
import { SANDBOX_URL } from "./common.ts";

export const SANDBOX = {
  port: {
    value: "number",
    summary: "the port to listen on; 0 takes any free port",
    default: "4010",
  },
  seed: {
    value: "text",
    summary: "the same seed makes the same keys and references",
    fallback: "a new one in each run",
  },
  state: { value: "path", summary: "a file that keeps the state between runs" },
  host: {
    value: "address",
    summary: "the address to listen on; 0.0.0.0 lets other machines use it",
    default: "127.0.0.1",
  },
  network: {
    value: "name",
    summary: "its name for other containers, over http",
  },
  cors: {
    value: "origin",
    summary: "an origin whose pages may call the service, too",
    repeatable: true,
  },
  "allow-host": {
    value: "name",
    summary: "its host name for other machines",
    repeatable: true,
  },
  clock: {
    value: "kind",
    summary: "virtual time moves only with `malipo clock advance`",
    choices: ["real", "virtual"],
    default: "real",
  },
  auto: {
    value: "kind",
    summary: "which prompts it answers by itself, after 3 s",
    choices: ["approve", "none", "magic"],
    default: "magic",
  },
  country: {
    value: "code",
    summary: "the merchant's country",
    default: "KE",
  },
  profile: {
    value: "path",
    summary: "a profile by `malipo probe`: the sandbox responds like your service",
  },
  webhook: {
    value: "url",
    summary: "the URL of your receiver, registered for all eight events",
  },
  "ready-file": {
    value: "path",
    summary: "a file with URL, keys and secret, while the sandbox is ready",
  },
} as const satisfies FlagRows;

export const LOGS = {
  ...SANDBOX_URL,
  once: { summary: "print what there is, and end" },
} as const satisfies FlagRows;

export const ENV = {
  ...SANDBOX_URL,
  write: {
    value: "path",
    summary: "a .env file to write them into; its other variables stay",
  },
  kind: {
    value: "kind",
    summary: "which key to print",
    choices: ["secret", "public", "sandbox"],
    default: "secret",
  },
} as const satisfies FlagRows;

const limit = (what: string) =>
  ({
    limit: {
      value: "number",
      summary: `the maximum number of ${what}`,
      default: "20",
      forModels: true,
    },
  }) as const satisfies FlagRows;

export const REQUESTS = { ...SANDBOX_URL, ...limit("requests") } as const satisfies FlagRows;

export const DELIVERIES = {
  ...SANDBOX_URL,
  state: {
    value: "state",
    summary: "list only deliveries in this state",
    choices: ["pending", "delivered", "failed"],
    forModels: true,
  },
  payment: {
    value: "reference",
    summary: "list only deliveries about this payment",
    forModels: true,
  },
  ...limit("deliveries"),
} as const satisfies FlagRows;
