import { type Command, command, lazily, singles } from "../command.ts";
import { BASE_URL, GATEWAY } from "./common-flags.ts";

const PROFILE = "malipo.service.json";

const PUBLIC_KEY_FILE = {
  "--public-key-file <path>":
    "a file with a public key, to learn how the service rejects the wrong kind of key",
};

const LIVE = { "--live": "allow a secret key (sk_), which acts on the merchant's real account" };

/** The commands that learn how the real service behaves. */
export const LEARN_COMMANDS: readonly Command[] = [
  ...singles({
    probe: {
      about: "ask the real service what its documents do not say, in one minute",
      summary:
        "Learns from the service by reads and by requests that it rejects. Prints its plan first.",
      run: lazily(() => import("../commands/probe.ts"), "run"),
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
  }),
  command("learn", "learn from the traffic of a shop, and use what was learned of the service", {
    "": {
      summary:
        "Runs a proxy in front of the service until you press Ctrl-C, and learns from what passes.",
      run: lazily(() => import("../learn/run-proxy.ts"), "runProxy"),
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
    "report <file>": {
      summary: "Lists which assumptions of the sandbox the profile confirms and contradicts.",
      run: lazily(() => import("../learn/report.ts"), "report"),
      examples: [`learn report ${PROFILE}`],
    },
    "types <file>": {
      summary: "Writes the types of what was seen, as a declaration file.",
      run: lazily(() => import("../learn/documents.ts"), "types"),
      flags: {
        "--out <path>":
          "the file for the types; - is the standard output [default: malipo.service.d.ts]",
      },
      examples: [`learn types ${PROFILE}`],
    },
    "diff <a> <b>": {
      summary: "Compares two profiles. Exits with 1 if their shapes differ.",
      run: lazily(() => import("../learn/compare.ts"), "diff"),
      examples: [`learn diff ${PROFILE} new.json`],
    },
    "merge <a> <b>": {
      summary: "Merges two profiles of one service.",
      run: lazily(() => import("../learn/compare.ts"), "merge"),
      flags: {
        "--out <path>": "the file for the merged profile [otherwise: the standard output]",
      },
      examples: [`learn merge staging.json production.json --out ${PROFILE}`],
    },
    "openapi <file>": {
      summary: "Prints the OpenAPI document of the service, with what was learned.",
      run: lazily(() => import("../learn/documents.ts"), "openapi"),
      flags: BASE_URL,
      examples: [`learn openapi ${PROFILE}`],
    },
    "check [file]": {
      summary:
        "Asks the service again, and exits with 1 if it differs from a profile. Creates nothing.",
      run: lazily(() => import("../learn/compare.ts"), "check"),
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
  }),
];
