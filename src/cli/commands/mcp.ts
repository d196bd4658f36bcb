import { once } from "node:events";
import { createRedactor } from "../../internal/redact.ts";
import { reportError, usageError } from "../cli-error.ts";
import type { Command, Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { argvOf, describeTool, toolsOf } from "../mcp/tools.ts";
import { packageVersion } from "../package-version.ts";
import { parse } from "../parse.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { stopSignal } from "../sandbox/stop-signal.ts";
import { findNamed } from "../terminal/suggest.ts";
import { sandboxVariables } from "./env.ts";

const PEER = "@modelcontextprotocol/sdk";

const INSTRUCTIONS =
  "Drives the malipo sandbox that runs on this machine: a payment gateway without real money. Start a payment, answer it on the customer's phone, move the clock, add faults, and read requests and webhook deliveries. Keys, PINs and webhook secrets are hidden. The shop gets them by `npx malipo env --write .env`.";

async function loadSdk() {
  try {
    const [{ McpServer }, { StdioServerTransport }, schemas] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/mcp.js"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { McpServer, StdioServerTransport, ...schemas };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw usageError(
      `\`malipo mcp\` requires the package ${PEER}, which is not installed beside malipo. Install it: npm install --save-dev ${PEER}`,
    );
  }
}

/** Serves the tools until standard input ends. Standard output is only for the protocol. */
export async function run({ values }: Input, commands: readonly Command[]): Promise<number> {
  const sdk = await loadSdk();
  const tools = toolsOf(commands);
  const secrets = takeSettings();

  /** Runs a command. Secrets that become known on the way are added to `known`. */
  async function callTool(name: string, given: Record<string, unknown>, known: string[]) {
    const tool = findNamed(tools, name, `There is no tool ${JSON.stringify(name)}.`);
    const argv = argvOf(tool, given);
    const flags = tool.subcommand.flags.map((flag) => flag.name);
    if (flags.includes("url") || flags.includes("base-url")) {
      const origin = await findSandbox(values);
      const variables = await sandboxVariables(origin);
      known.push(variables.MALIPO_API_KEY, variables.MALIPO_WEBHOOK_SECRET);
      // Commands for any gateway read their settings there.
      Object.assign(process.env, variables);
      if (flags.includes("url")) argv.splice(tool.words.length, 0, `--url=${origin}`);
    }
    const call = parse(commands, argv);
    if (call.kind !== "call") throw usageError("The tool was called without its arguments.");
    const output = await call.subcommand.run(call.input, commands);
    return typeof output === "number" ? {} : output.value;
  }

  /** An error is a result: the session goes on. */
  async function answer(name: string, given: Record<string, unknown>) {
    const known = [...secrets];
    const result = (value: unknown) => {
      const text = hideSecrets(JSON.stringify(value, null, 2), known);
      return { content: [{ type: "text" as const, text }] };
    };
    try {
      return result(await callTool(name, given, known));
    } catch (error) {
      const { stack: _, exitCode: __, ...report } = reportError(error, undefined);
      return { ...result({ error: report }), isError: true };
    }
  }

  const about = { name: "malipo", version: packageVersion() };
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
  const mcp = new sdk.McpServer(about, options);
  const listed = { tools: tools.map(describeTool) };
  mcp.server.setRequestHandler(sdk.ListToolsRequestSchema, () => listed);
  mcp.server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }) =>
    answer(params.name, params.arguments ?? {}),
  );
  const ended = Promise.race([once(process.stdin, "close"), stopSignal()]);
  await mcp.connect(new sdk.StdioServerTransport());
  await ended;
  await mcp.close();
  return EXIT.ok;
}

/** Removes the settings of a real service, so that no tool can use them; returns the secrets among them. */
function takeSettings(): string[] {
  const { MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET } = process.env;
  for (const name of ["MALIPO_API_KEY", "MALIPO_BASE_URL", "MALIPO_WEBHOOK_SECRET"]) {
    delete process.env[name];
  }
  return [MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET].filter((one) => one !== undefined);
}

/** A key of any gateway, or a webhook secret. Rather too much is hidden: `task_1` loses its end, too. */
const SECRET = /(?:sk|pk|sb|whsec)_[\w.~+/=-]+/g;
/** A PIN in a text, in a form or in JSON, also in JSON inside of JSON. */
const PIN = /(pin[\\"':=\s]{1,20})\d{1,12}/gi;

/** Hides keys, webhook secrets and PINs in a text. @param known - Secrets that may have any form. */
function hideSecrets(text: string, known: readonly string[]): string {
  const hidden = known.reduce((rest, secret) => createRedactor(secret).text(rest), text);
  return hidden.replace(SECRET, "[hidden]").replace(PIN, "$1[hidden]");
}
