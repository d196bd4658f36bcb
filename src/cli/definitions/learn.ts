import type { Command, Flag } from "../command.ts";
import { GATEWAY } from "./flags.ts";

const PROFILE = "malipo.service.json";

const PUBLIC_KEY_FILE: Flag = {
  name: "public-key-file",
  value: "path",
  summary: "a file with a public key, to learn how the service refuses the wrong kind of key",
};

const LIVE: Flag = {
  name: "live",
  summary: "allow a secret key (sk_), which acts on the merchant's real account",
};

const PROBE: Command = {
  name: "probe",
  summary: "ask the real service what its documents do not say, in one minute",
  load: () => import("../commands/probe.ts"),
  subcommands: [
    {
      summary:
        "Learns from the service by reads and by requests that it refuses. Prints its plan first.",
      flags: [
        ...GATEWAY,
        PUBLIC_KEY_FILE,
        { name: "write", summary: "also create an invoice and a webhook, and delete them again" },
        {
          name: "prompt",
          value: "phone",
          summary: "also ask this phone to pay 1.00, and follow the payment to its end",
        },
        LIVE,
        {
          name: "out",
          value: "path",
          summary: "the file for the profile, which is replaced",
          default: PROFILE,
        },
      ],
      examples: [
        "probe --base-url https://gateway.example/api/v1 --key-file sandbox.key",
        "probe --base-url https://gateway.example/api/v1 --key-file sandbox.key --write --prompt 0712345678",
      ],
    },
  ],
};

const FILE = { name: "file" } as const;

const LEARN: Command = {
  name: "learn",
  summary: "learn from the traffic of a shop, and use what was learned of the service",
  load: () => import("../commands/learn.ts"),
  subcommands: [
    {
      summary:
        "Runs a proxy in front of the service until you press Ctrl-C, and learns from what passes.",
      flags: [
        { name: "to", value: "url", summary: "the base URL of the service, with its path prefix" },
        {
          name: "port",
          value: "number",
          summary: "the port to listen on; 0 takes any free port",
          default: "4011",
        },
        {
          name: "out",
          value: "path",
          summary: "the file for the profile; what it knows already is kept",
          default: PROFILE,
        },
        {
          name: "webhooks-to",
          value: "url",
          summary: "your receiver: gets what is posted to /webhooks, and the profile its shapes",
        },
      ],
      examples: [
        "learn --to https://gateway.example/api/v1",
        "learn --to https://gateway.example/api/v1 --port 4011 --webhooks-to http://localhost:3000/webhooks",
      ],
    },
    {
      name: "report",
      summary: "Says which assumptions of the sandbox the profile confirms and contradicts.",
      args: [FILE],
      flags: [],
      examples: [`learn report ${PROFILE}`],
    },
    {
      name: "types",
      summary: "Writes the types of what was seen, as a declaration file.",
      args: [FILE],
      flags: [
        {
          name: "out",
          value: "path",
          summary: "the file for the types; - is the standard output",
          default: "malipo.service.d.ts",
        },
      ],
      examples: [`learn types ${PROFILE}`],
    },
    {
      name: "diff",
      summary: "Compares two profiles. Exits with 1 if their shapes differ.",
      args: [{ name: "a" }, { name: "b" }],
      flags: [],
      examples: [`learn diff ${PROFILE} new.json`],
    },
    {
      name: "merge",
      summary: "Merges two profiles of one service.",
      args: [{ name: "a" }, { name: "b" }],
      flags: [
        {
          name: "out",
          value: "path",
          summary: "the file for the merged profile",
          fallback: "the standard output",
        },
      ],
      examples: [`learn merge staging.json production.json --out ${PROFILE}`],
    },
    {
      name: "openapi",
      summary: "Prints the OpenAPI document of the service, with what was learned.",
      args: [FILE],
      flags: GATEWAY.filter(({ name }) => name === "base-url"),
      examples: [`learn openapi ${PROFILE}`],
    },
    {
      name: "check",
      summary:
        "Asks the service again, and exits with 1 if it differs from a profile. Creates nothing.",
      args: [{ name: "file", optional: true }],
      flags: [
        { name: "against", value: "path", summary: "the profile that the service should match" },
        ...GATEWAY,
        PUBLIC_KEY_FILE,
        LIVE,
      ],
      examples: [
        `learn check --against ${PROFILE} --base-url https://gateway.example/api/v1 --key-file sandbox.key`,
        `learn check new.json --against ${PROFILE}`,
      ],
    },
  ],
};

/** The commands that learn how the real service behaves. */
export const LEARN_COMMANDS: readonly Command[] = [PROBE, LEARN];
