import { EVENT_KINDS } from "../../contract/events.ts";
import { DRILL_OPTIONS } from "../../drill/options.ts";
import { type Command, type Flag, flags, subcommand } from "../command.ts";
import { GATEWAY, SANDBOX_URL, SECRET, SECRET_FILE, SET } from "./flags.ts";

const TRIGGER: Command = {
  name: "trigger",
  summary: "send a signed event to any receiver, without a gateway",
  load: () => import("../commands/trigger.ts"),
  subcommands: [
    subcommand("<event>", "Sends one signed event to a receiver and shows the response.", {
      values: { event: { values: EVENT_KINDS, takesOthers: true } },
      flags: [
        ...flags({ "--to <url>": "the URL of the receiver" }),
        SECRET_FILE,
        SECRET,
        {
          ...SET,
          summary: "sets a field of the event; path:=json sets a number, a boolean or a list",
        },
        ...flags({ "--any": "allow an event that the service does not document" }),
      ],
      examples: [
        "trigger payment.completed --to http://localhost:3000/webhooks --secret-file secret.txt",
        "trigger payment.failed --to http://localhost:3000/webhooks --set data.amount=100.00",
        "trigger payment.refunded --any --to http://localhost:3000/webhooks --set data.id:=7",
      ],
    }),
  ],
};

const SIGN: Command = {
  name: "sign",
  summary: "sign a body as the service does",
  load: () => import("../commands/sign.ts"),
  subcommands: [
    subcommand("[file]", "Prints the signature of a body. The raw bytes are signed.", {
      flags: [SECRET_FILE, SECRET],
      examples: ["sign body.json --secret-file secret.txt", "sign - < body.json"],
    }),
  ],
};

const VERIFY: Command = {
  name: "verify",
  summary: "verify the signature of a delivery, and explain why it is rejected",
  load: () => import("../commands/verify.ts"),
  subcommands: [
    subcommand(
      "[file]",
      "Verifies a body and its signature. If they do not match, explains the cause.",
      {
        flags: [
          ...flags({ "--signature <hex>": "the value of the header X-Service-Signature" }),
          SECRET_FILE,
          { ...SECRET, repeatable: true },
          ...flags({
            "--max-age <seconds>": "reject events whose signed timestamp is older",
            "--header <name: value>":
              "another header of the delivery: tries whether a time in it was signed with the body [repeatable]",
          }),
        ],
        examples: [
          "verify body.json --signature 3f0a… --secret-file secret.txt",
          "verify - --signature 3f0a… --max-age 300 < body.json",
        ],
      },
    ),
  ],
};

const DOCTOR: Command = {
  name: "doctor",
  summary: "check the key, URL, TLS, clock and receiver, and name what to fix",
  load: () => import("../commands/doctor.ts"),
  subcommands: [
    subcommand(
      "",
      "Checks the key, the URL, TLS and the clock, and sends test events to your receiver.",
      {
        flags: [
          ...GATEWAY,
          ...flags({
            "--webhook <url>":
              "a receiver: it is sent one signed event and one with a forged signature",
          }),
          SECRET_FILE,
          SECRET,
        ],
        examples: [
          "doctor",
          "doctor --webhook http://localhost:3000/webhooks --secret-file secret.txt",
        ],
      },
    ),
  ],
};

// The parser must not fill in a default: what the file of the shop says comes before it.
const DRILL_FLAGS = Object.entries(DRILL_OPTIONS).map(
  ([name, { default: value, ofRun: _, ...option }]): Flag => ({
    name,
    ...option,
    ...(value !== undefined && { fallback: value }),
  }),
);

const DRILL: Command = {
  name: "drill",
  summary: "rehearse your shop: crashes, lost responses and forged webhooks at every moment",
  load: () => import("../commands/drill.ts"),
  subcommands: [
    subcommand(
      "",
      "Starts your shop with a sandbox, places orders, causes faults, and compares what the shop shows with what was paid.",
      {
        flags: DRILL_FLAGS,
        examples: ["drill --init", "drill --report drill.html", "drill --case 41"],
      },
    ),
  ],
};

const EXPLAIN: Command = {
  name: "explain",
  summary: "explain why a payment failed, by its result code or reason",
  load: () => import("../commands/explain.ts"),
  subcommands: [
    subcommand(
      "[code]",
      "Explains a result code or a failure_reason: the cause, what to tell the customer, and whether to try again. Without one, lists all codes.",
      { examples: ["explain 1037", "explain"], effect: "reads" },
    ),
  ],
};

const SHELLS = ["bash", "zsh", "fish"] as const;

const COMPLETION: Command = {
  name: "completion",
  summary: "print a script with which your shell completes commands, flags and values",
  load: () => import("../commands/completion.ts"),
  subcommands: [
    subcommand(
      "<shell>",
      "Prints the script. Its first lines say where it belongs. Nothing is installed.",
      {
        values: { shell: { values: SHELLS } },
        examples: SHELLS.map((shell) => `completion ${shell}`),
      },
    ),
  ],
};

const MCP: Command = {
  name: "mcp",
  summary: "serve the tools of a running sandbox to a coding assistant, over stdio",
  load: () => import("../commands/mcp.ts"),
  subcommands: [
    subcommand(
      "",
      "Serves phone, clock, faults, deliveries, requests, payments, explain and doctor as tools of the Model Context Protocol. Requires the package @modelcontextprotocol/sdk. It takes no key, and prints none.",
      { flags: [SANDBOX_URL], examples: ["mcp", "mcp --url http://127.0.0.1:4011"] },
    ),
  ],
};

/** The commands that send, sign and verify webhooks by hand. */
export const WEBHOOK_TOOLS: readonly Command[] = [TRIGGER, SIGN, VERIFY];

/** The commands that check what is there, and those that need neither a gateway nor a store. */
export const OTHER_TOOLS: readonly Command[] = [DOCTOR, DRILL, EXPLAIN, MCP, COMPLETION];
