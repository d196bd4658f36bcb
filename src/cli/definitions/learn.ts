import { type Command, command, lazily, singles } from "../command.ts";
import { BASE_URL } from "../flags/common.ts";
import {
  LEARN_CHECK,
  LEARN_MERGE,
  LEARN_PROXY,
  LEARN_TYPES,
  PROBE,
  PROFILE,
} from "../flags/learn.ts";

/** The commands that learn how the real service behaves. */
export const LEARN_COMMANDS: readonly Command[] = [
  ...singles({
    probe: {
      about: "ask the real service what its documents do not say, in one minute",
      summary:
        "Learns from the service by reads and by requests that it rejects. Prints its plan first.",
      ...lazily(PROBE, () => import("../commands/probe.ts"), "run"),
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
      ...lazily(LEARN_PROXY, () => import("../learn/run-proxy.ts"), "runProxy"),
      examples: [
        "learn --to https://gateway.example/api/v1",
        "learn --to https://gateway.example/api/v1 --port 4011 --webhooks-to http://localhost:3000/webhooks",
      ],
    },
    "report <file>": {
      summary: "Lists which assumptions of the sandbox the profile confirms and contradicts.",
      ...lazily({}, () => import("../learn/list-assumptions.ts"), "assumptions"),
      examples: [`learn report ${PROFILE}`],
    },
    "types <file>": {
      summary: "Writes the types of what was seen, as a declaration file.",
      ...lazily(LEARN_TYPES, () => import("../learn/documents.ts"), "types"),
      examples: [`learn types ${PROFILE}`],
    },
    "diff <a> <b>": {
      summary: "Compares two profiles. Exits with 1 if their shapes differ.",
      ...lazily({}, () => import("../learn/compare.ts"), "diff"),
      examples: [`learn diff ${PROFILE} new.json`],
    },
    "merge <a> <b>": {
      summary: "Merges two profiles of one service.",
      ...lazily(LEARN_MERGE, () => import("../learn/compare.ts"), "merge"),
      examples: [`learn merge staging.json production.json --out ${PROFILE}`],
    },
    "openapi <file>": {
      summary: "Prints the OpenAPI document of the service, with what was learned.",
      ...lazily(BASE_URL, () => import("../learn/documents.ts"), "openapi"),
      examples: [`learn openapi ${PROFILE}`],
    },
    "check [file]": {
      summary:
        "Asks the service again, and exits with 1 if it differs from a profile. Creates nothing.",
      ...lazily(LEARN_CHECK, () => import("../learn/compare.ts"), "check"),
      examples: [
        `learn check --against ${PROFILE} --base-url https://gateway.example/api/v1 --key-file sandbox.key`,
        `learn check new.json --against ${PROFILE}`,
      ],
    },
  }),
];
