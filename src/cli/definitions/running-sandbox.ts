import { COMMANDS } from "../../sandbox/control/commands.ts";
import { CHAOS_NAMES } from "../../sandbox/faults/chaos.ts";
import type { FaultEffect } from "../../sandbox/state/records.ts";
import type { Command, Flag } from "../command.ts";
import { SANDBOX_URL } from "./flags.ts";

/** Written out, so that the command line starts without the table of endpoints. */
const FAULT_KINDS: Readonly<Record<FaultEffect["kind"], true>> = {
  status: true,
  latency: true,
  reset: true,
  hang: true,
  truncate: true,
  lostResponse: true,
};

const FAULTS: Command = {
  name: "faults",
  summary: "make requests to a running sandbox fail on purpose",
  load: () => import("../commands/running/control.ts"),
  subcommands: [
    {
      name: "add",
      summary: COMMANDS["faults/add"].summary,
      args: [{ name: "kind", values: Object.keys(FAULT_KINDS) }],
      flags: [
        SANDBOX_URL,
        { name: "endpoint", value: "endpoint", summary: "only requests to this endpoint" },
        { name: "method", value: "method", summary: "only requests with this method" },
        {
          name: "path",
          value: "path",
          summary: "only requests to this path; * matches one segment",
        },
        {
          name: "status",
          value: "number",
          summary: "the status of a `status` fault",
          fallback: "503",
        },
        {
          name: "ms",
          value: "number",
          summary: "the delay of a `latency` fault",
          fallback: "2000",
        },
        {
          name: "after",
          value: "number",
          summary: "how many matching requests pass before",
          fallback: "0",
        },
        {
          name: "times",
          value: "number",
          summary: "how many requests get it, or `always`",
          fallback: "1",
        },
      ],
      examples: [
        "faults add lostResponse --endpoint mobileMoney.initiate",
        "faults add status --status 503 --times always",
        "faults add latency --ms 5000 --path /payments/*",
      ],
    },
    {
      name: "list",
      summary: "Lists the faults that are active, and the rates of chaos.",
      flags: [SANDBOX_URL],
      examples: ["faults list"],
    },
    {
      name: "remove",
      summary: COMMANDS["faults/remove"].summary,
      args: [{ name: "id" }],
      flags: [SANDBOX_URL],
      examples: ["faults remove flt_1"],
    },
    {
      name: "clear",
      summary: COMMANDS["faults/clear"].summary,
      flags: [SANDBOX_URL],
      examples: ["faults clear"],
    },
  ],
};

const KEYS: Command = {
  name: "keys",
  summary: "revoke a key of a running sandbox",
  load: () => import("../commands/running/control.ts"),
  subcommands: [
    {
      name: "revoke",
      summary: COMMANDS["keys/revoke"].summary,
      args: [{ name: "kind", values: ["secret", "public", "sandbox"], takesOthers: true }],
      flags: [SANDBOX_URL],
      examples: ["keys revoke secret"],
    },
  ],
};

const CHAOS: Command = {
  name: "chaos",
  summary: "inject random faults into a running sandbox",
  load: () => import("../commands/running/control.ts"),
  subcommands: [
    {
      name: "start",
      summary: COMMANDS.chaos.summary,
      flags: [
        SANDBOX_URL,
        { name: "seed", value: "text", summary: "the seed that repeats the same faults" },
        ...CHAOS_NAMES.map(
          (name): Flag => ({
            name: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
            value: "rate",
            summary: `how often, from 0 to 1: ${name}`,
          }),
        ),
      ],
      examples: ["chaos start --duplicate 0.3 --lost-responses 0.1 --seed 42"],
    },
    {
      name: "end",
      summary: COMMANDS["chaos/end"].summary,
      flags: [SANDBOX_URL],
      examples: ["chaos end"],
    },
  ],
};

const SCENES: Command = {
  name: "scenes",
  summary: "save and load the state of a running sandbox",
  load: () => import("../commands/running/control.ts"),
  subcommands: [
    {
      name: "list",
      summary: "Lists the saved states.",
      flags: [SANDBOX_URL],
      examples: ["scenes list"],
    },
    ...(["save", "load", "remove"] as const).map((name) => ({
      name,
      summary: COMMANDS[`scenes/${name}`].summary,
      args: [{ name: "name" }],
      flags: [SANDBOX_URL],
      examples: [`scenes ${name} paid-once`],
    })),
    {
      name: "export",
      summary: "Prints the whole state as JSON, keys included.",
      flags: [SANDBOX_URL],
      examples: ["scenes export"],
    },
    {
      name: "import",
      summary: COMMANDS.restore.summary,
      args: [{ name: "file" }],
      flags: [SANDBOX_URL],
      examples: ["scenes import state.json"],
    },
  ],
};

const RESET: Command = {
  name: "reset",
  summary: "delete everything in a running sandbox",
  load: () => import("../commands/running/control.ts"),
  subcommands: [
    {
      summary: COMMANDS.reset.summary,
      flags: [
        SANDBOX_URL,
        { name: "keep-receivers", summary: "the registered receivers stay" },
        { name: "save-as", value: "name", summary: "save the state as a scene first" },
      ],
      examples: ["reset", "reset --keep-receivers --save-as before"],
    },
  ],
};

const LOGS: Command = {
  name: "logs",
  summary: "follow the requests and deliveries of a running sandbox",
  load: () => import("../commands/running/logs.ts"),
  subcommands: [
    {
      summary: "Prints each request and each delivery as it happens, until you press Ctrl-C.",
      flags: [SANDBOX_URL, { name: "once", summary: "print what there is, and end" }],
      examples: ["logs", "logs --once --json"],
    },
  ],
};

const LISTEN: Command = {
  name: "listen",
  summary: "send the webhooks of a running sandbox to your receiver while the command runs",
  load: () => import("../commands/running/listen.ts"),
  subcommands: [
    {
      summary:
        "Registers your receiver for all events, prints each delivery, and removes it at Ctrl-C.",
      args: [{ name: "receiver" }],
      flags: [SANDBOX_URL],
      examples: ["listen http://localhost:3000/webhooks"],
    },
  ],
};

const ENV: Command = {
  name: "env",
  summary: "print the settings of a running sandbox for your shell or a .env file",
  load: () => import("../commands/running/env.ts"),
  subcommands: [
    {
      summary:
        "Prints the base URL, the secret key and the webhook secret of a running sandbox for a shell, or writes them into a .env file.",
      flags: [
        SANDBOX_URL,
        {
          name: "write",
          value: "path",
          summary:
            "a .env file to write them into, whole or not at all; its other variables stay as they are",
        },
        {
          name: "kind",
          value: "kind",
          summary: "which key to print",
          choices: ["secret", "public", "sandbox"],
          default: "secret",
        },
      ],
      examples: ["env", "env --write .env"],
    },
  ],
};

const OPEN: Command = {
  name: "open",
  summary: "open the page of a running sandbox in the browser",
  load: () => import("../commands/running/open.ts"),
  subcommands: [
    { summary: "Opens the page of a running sandbox.", flags: [SANDBOX_URL], examples: ["open"] },
  ],
};

/** The commands that act on a sandbox that is running, beside the phone, the clock and the events. */
export const RUNNING_SANDBOX_COMMANDS: readonly Command[] = [
  FAULTS,
  KEYS,
  CHAOS,
  SCENES,
  RESET,
  LOGS,
  LISTEN,
  ENV,
  OPEN,
];
