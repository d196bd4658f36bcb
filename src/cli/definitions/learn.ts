import { type Command, single, subcommand } from "../command.ts";
import { BASE_URL, GATEWAY } from "./flags.ts";

const PROFILE = "malipo.service.json";

const PUBLIC_KEY_FILE = {
  "--public-key-file <path>":
    "a file with a public key, to learn how the service rejects the wrong kind of key",
};

const LIVE = { "--live": "allow a secret key (sk_), which acts on the merchant's real account" };

const PROBE = single(
  "probe",
  "ask the real service what its documents do not say, in one minute",
  "Learns from the service by reads and by requests that it rejects. Prints its plan first.",
  () => import("../commands/probe.ts"),
  {
    flags: {
      ...GATEWAY,
      ...PUBLIC_KEY_FILE,
      "--write": "also create an invoice and a webhook, and delete them again",
      "--prompt <phone>": "also ask this phone to pay 1.00, and follow the payment to its end",
      ...LIVE,
      "--out <path>": `the file for the profile, which is replaced [default: ${PROFILE}]`,
    },
    examples: [
      "probe --base-url https://gateway.example/api/v1 --key-file sandbox.key",
      "probe --base-url https://gateway.example/api/v1 --key-file sandbox.key --write --prompt 0712345678",
    ],
  },
);

const LEARN: Command = {
  name: "learn",
  summary: "learn from the traffic of a shop, and use what was learned of the service",
  load: () => import("../commands/learn.ts"),
  subcommands: [
    subcommand(
      "",
      "Runs a proxy in front of the service until you press Ctrl-C, and learns from what passes.",
      {
        flags: {
          "--to <url>": "the base URL of the service, with its path prefix",
          "--port <number>": "the port to listen on; 0 takes any free port [default: 4011]",
          "--out <path>": `the file for the profile; what it knows already stays in it [default: ${PROFILE}]`,
          "--webhooks-to <url>":
            "your receiver: gets what is posted to /webhooks, and the profile its shapes",
        },
        examples: [
          "learn --to https://gateway.example/api/v1",
          "learn --to https://gateway.example/api/v1 --port 4011 --webhooks-to http://localhost:3000/webhooks",
        ],
      },
    ),
    subcommand(
      "report <file>",
      "Lists which assumptions of the sandbox the profile confirms and contradicts.",
      { examples: [`learn report ${PROFILE}`] },
    ),
    subcommand("types <file>", "Writes the types of what was seen, as a declaration file.", {
      flags: {
        "--out <path>":
          "the file for the types; - is the standard output [default: malipo.service.d.ts]",
      },
      examples: [`learn types ${PROFILE}`],
    }),
    subcommand("diff <a> <b>", "Compares two profiles. Exits with 1 if their shapes differ.", {
      examples: [`learn diff ${PROFILE} new.json`],
    }),
    subcommand("merge <a> <b>", "Merges two profiles of one service.", {
      flags: {
        "--out <path>": "the file for the merged profile [otherwise: the standard output]",
      },
      examples: [`learn merge staging.json production.json --out ${PROFILE}`],
    }),
    subcommand(
      "openapi <file>",
      "Prints the OpenAPI document of the service, with what was learned.",
      { flags: { ...BASE_URL }, examples: [`learn openapi ${PROFILE}`] },
    ),
    subcommand(
      "check [file]",
      "Asks the service again, and exits with 1 if it differs from a profile. Creates nothing.",
      {
        flags: {
          "--against <path>": "the profile that the service should match",
          ...GATEWAY,
          ...PUBLIC_KEY_FILE,
          ...LIVE,
        },
        examples: [
          `learn check --against ${PROFILE} --base-url https://gateway.example/api/v1 --key-file sandbox.key`,
          `learn check new.json --against ${PROFILE}`,
        ],
      },
    ),
  ],
};

/** The commands that learn how the real service behaves. */
export const LEARN_COMMANDS: readonly Command[] = [PROBE, LEARN];
