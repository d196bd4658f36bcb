import { EVENT_KINDS } from "../../contract/events.ts";
import { DRILL_FLAGS } from "../../drill/drill-options.ts";
import { type Command, lazily, singles } from "../command.ts";
import { SANDBOX_URL, SECRET } from "../flags/common.ts";
import { DOCTOR, TRIGGER, VERIFY } from "../flags/tools.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** The commands that send, sign and verify webhooks by hand, and check who sends and receives them. */
export const WEBHOOK_TOOLS: readonly Command[] = singles({
  "trigger <event>": {
    about: "send a signed event to any receiver, without a gateway",
    summary: "Sends one signed event to a receiver and shows the response.",
    ...lazily(TRIGGER, () => import("../commands/trigger.ts"), "run"),
    values: { event: { values: EVENT_KINDS, takesOthers: true } },
    examples: [
      "trigger payment.completed --to http://localhost:3000/webhooks --secret-file secret.txt",
      "trigger payment.failed --to http://localhost:3000/webhooks --set data.amount=100.00",
      "trigger payment.refunded --any --to http://localhost:3000/webhooks --set data.id:=7",
    ],
  },
  "sign [file]": {
    about: "sign a body as the service does",
    summary: "Prints the signature of a body. The raw bytes are signed.",
    ...lazily(SECRET, () => import("../commands/verify.ts"), "sign"),
    examples: ["sign body.json --secret-file secret.txt", "sign - < body.json"],
  },
  "verify [file]": {
    about: "verify the signature of a delivery, and explain why it is rejected",
    summary: "Verifies a body and its signature. If they do not match, explains the cause.",
    ...lazily(VERIFY, () => import("../commands/verify.ts"), "verify"),
    examples: [
      "verify body.json --signature 3f0a… --secret-file secret.txt",
      "verify - --signature 3f0a… --max-age 300 < body.json",
    ],
  },
  doctor: {
    about: "check the key, URL, TLS, clock and receiver, and name what to fix",
    summary:
      "Checks the key, the URL, TLS, the clock and the registered webhooks, and sends test events to your receiver.",
    ...lazily(DOCTOR, () => import("../commands/doctor.ts"), "run"),
    examples: [
      "doctor",
      "doctor --webhook http://localhost:3000/webhooks --secret-file secret.txt",
    ],
  },
});

/** The commands that rehearse and explain what can happen to a payment. */
export const REHEARSALS: readonly Command[] = singles({
  drill: {
    about: "rehearse your shop: crashes, lost responses and forged webhooks at every moment",
    summary:
      "Starts your shop with a sandbox, places orders, causes faults, and compares what the shop shows with what was paid.",
    ...lazily(DRILL_FLAGS, () => import("../commands/drill.ts"), "run"),
    examples: ["drill --init", "drill --report drill.html", "drill --case 41"],
  },
  "explain [code]": {
    about: "explain why a payment failed, by its result code or reason",
    summary: "Explains a result code or a failure_reason. Without one, lists all codes.",
    ...lazily({}, () => import("../commands/explain.ts"), "run"),
    examples: ["explain 1037", "explain"],
    effect: "reads",
  },
});

/** The commands of a running sandbox, for a coding assistant. */
export const MCP: readonly Command[] = singles({
  mcp: {
    about: "serve the tools of a running sandbox to a coding assistant, over stdio",
    summary:
      "Serves phone, clock, faults, deliveries, requests, payments, explain and doctor as tools of the Model Context Protocol. Requires @modelcontextprotocol/sdk. It takes no key, and prints none.",
    ...lazily(SANDBOX_URL, () => import("../commands/mcp.ts"), "run"),
    examples: ["mcp", "mcp --url http://127.0.0.1:4011"],
  },
});

/** The command that prints what a shell needs. */
export const COMPLETION: readonly Command[] = singles({
  "completion <shell>": {
    about: "print a script with which your shell completes commands, flags and values",
    summary: "Prints the script. Its first lines say where it belongs. Nothing is installed.",
    ...lazily({}, () => import("../completion.ts"), "run"),
    values: { shell: { values: SHELLS } },
    examples: SHELLS.map((shell) => `completion ${shell}`),
  },
});
