import { once } from "node:events";
import { Writable } from "node:stream";
import { ownOptions } from "../../internal/check-options.ts";
import type { Flag } from "../../internal/flags.ts";
import { createRedactor } from "../../internal/redact.ts";
import { isLoopback } from "../../internal/urls.ts";
import { errorFields, usageError } from "../cli-error.ts";
import type { Argument, Command, Input, Subcommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { SandboxUrl } from "../flags/common.ts";
import { flagSummary } from "../help.ts";
import { readUrl } from "../input/flag-values.ts";
import { type Io, stopSignal, type TextOutput } from "../io.ts";
import { packageVersion } from "../package-version.ts";
import { parse } from "../parse.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
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

/** The commands that are tools: those of a running sandbox, and what checks and explains. */
const OFFERED: readonly string[] = [
  ...["phone", "clock", "events", "requests", "faults", "chaos", "scenes", "reset"],
  ...["payments initiate", "payments get", "payments list", "webhooks list", "webhooks register"],
  ...["explain", "doctor"],
];

/** The whole state has the keys, and is read from a file. */
const WITHHELD: readonly string[] = ["scenes export", "scenes import"];

/** The target of a redirect stays with the server that sent it: no result has it. */
const WITHHELD_RESULTS: readonly string[] = ["location"];

/** What a command found, as JSON for a machine. */
const resultText = (value: unknown): string =>
  JSON.stringify(value, (name, field) => (WITHHELD_RESULTS.includes(name) ? undefined : field), 2);

/** A command as a tool. */
interface Tool {
  readonly name: string;
  /** The words of its command: `["phone", "approve"]`. */
  readonly words: readonly string[];
  readonly subcommand: Subcommand;
  /** The flags that it takes, by the names of its fields. */
  readonly flags: ReadonlyMap<string, Flag>;
}

const fieldName = (name: string): string => name.replaceAll("-", "_");

function toolOf(words: readonly string[], subcommand: Subcommand): Tool {
  // The sandbox that was found decides about all others: a model names no service, key or file.
  const flags = subcommand.flags.filter(({ forModels }) => forModels === true);
  return {
    name: fieldName(words.join("_")),
    words,
    subcommand,
    flags: new Map(flags.map((flag) => [fieldName(flag.name), flag])),
  };
}

/** The tools, from the definitions of the command line. */
const toolsOf = (commands: readonly Command[]): Tool[] =>
  commands.flatMap(({ name, subcommands }) =>
    subcommands.flatMap((subcommand) => {
      const words = [name, subcommand.name ?? ""].filter(Boolean);
      const call = words.join(" ");
      const isOffered = OFFERED.includes(name) || OFFERED.includes(call);
      return isOffered && !WITHHELD.includes(call) ? [toolOf(words, subcommand)] : [];
    }),
  );

const argumentSchema = ({ summary, values, takesOthers }: Argument) => ({
  type: "string",
  ...(summary !== undefined && { description: summary }),
  ...(values !== undefined && { [takesOthers ? "examples" : "enum"]: values }),
});

function flagSchema(flag: Flag) {
  const { value, choices, repeatable } = flag;
  const type = value === undefined ? "boolean" : value === "number" ? "number" : "string";
  const one = { type, ...(choices !== undefined && { enum: choices }) };
  const description = flagSummary(flag);
  return repeatable ? { type: "array", items: one, description } : { ...one, description };
}

/** A tool as the protocol lists it. */
function describeTool({ name, subcommand, flags }: Tool) {
  const { summary, args, effect } = subcommand;
  const properties = Object.fromEntries([
    ...args.map((one) => [fieldName(one.name), argumentSchema(one)] as const),
    ...[...flags].map(([field, flag]) => [field, flagSchema(flag)] as const),
  ]);
  const required = args.filter(({ optional }) => !optional).map((one) => fieldName(one.name));
  return {
    name,
    description: summary,
    inputSchema: { type: "object" as const, properties, required, additionalProperties: false },
    annotations: { readOnlyHint: effect === "reads", destructiveHint: effect === "removes" },
  };
}

const textOfField = (value: unknown): string =>
  typeof value === "string" ? value : String(JSON.stringify(value));

/** The words with which definitions name an argument or the value of a flag that is an address. */
const ADDRESSES: readonly string[] = ["url", "receiver"];

/**
 * Text can leave the machine in an address, and an address is chosen by what a model has read. The parser
 * of the command line rejects what is not an address.
 *
 * @throws {CliError} `usage` for an address of another machine.
 */
function checkAddress(tool: string, field: string, text: string): void {
  if (!URL.canParse(text) || isLoopback(new URL(text).hostname)) return;
  throw usageError(
    `\`${field}\` of ${tool} must be an address of this machine, such as http://localhost:3000/webhooks; got "${text}". Only the command line reaches others.`,
  );
}

/**
 * The words of a call, for the parser of the command line to check. No field can become another flag: a
 * flag and its value are one word, and arguments stand behind `--`.
 *
 * @throws {ConfigurationError} for a field that the tool does not have.
 * @throws {CliError} `usage` for an address of another machine.
 */
function argvOf(
  { name, words, subcommand: { args }, flags }: Tool,
  given: Readonly<Record<string, unknown>>,
): string[] {
  const names = [...args.map((one) => fieldName(one.name)), ...flags.keys()];
  const fields = ownOptions(given, names, name);
  const textsOf = (field: string, kind: string, values: readonly unknown[]) => {
    const texts = values.map(textOfField);
    if (ADDRESSES.includes(kind)) for (const text of texts) checkAddress(name, field, text);
    return texts;
  };
  const inFlags = [...flags].flatMap(([field, { name: flag, value }]) => {
    const values = [fields[field] ?? []].flat();
    if (value === undefined) return values.includes(true) ? [`--${flag}`] : [];
    return textsOf(field, value, values).map((text) => `--${flag}=${text}`);
  });
  const inArguments = args.flatMap((one) => {
    const field = fieldName(one.name);
    return textsOf(field, one.name, [fields[field] ?? []].flat());
  });
  return [...words, ...inFlags, "--", ...inArguments];
}

/** Serves the tools until standard input ends. Standard output is only for the protocol. */
export async function run(input: Input<SandboxUrl>, commands: readonly Command[]): Promise<number> {
  const { io } = input;
  // A wrong address is said at once, not at the first call of a tool.
  if (input.flags.url !== undefined) readUrl(input.flags, "url");
  const sdk = await loadSdk();
  const tools = toolsOf(commands);
  const secrets = takeSettings(io);

  /** Runs a command. Secrets that become known on the way are added to `known`. */
  async function callTool(name: string, given: Record<string, unknown>, known: string[]) {
    const tool = findNamed(tools, name, `There is no tool ${JSON.stringify(name)}.`);
    const argv = argvOf(tool, given);
    const flags = tool.subcommand.flags.map((flag) => flag.name);
    if (flags.includes("url") || flags.includes("base-url")) {
      const origin = await findSandbox(input);
      const variables = await sandboxVariables(origin);
      known.push(variables.MALIPO_API_KEY, variables.MALIPO_WEBHOOK_SECRET);
      // Commands for any gateway read their settings there.
      Object.assign(io.env, variables);
      if (flags.includes("url")) argv.splice(tool.words.length, 0, `--url=${origin}`);
    }
    const call = parse(commands, argv);
    if (call.kind !== "call") throw usageError("The tool was called without its arguments.");
    const output = await call.subcommand.run({ ...call.input, argv, io }, commands);
    return typeof output === "number" ? {} : output.value;
  }

  /** An error is a result: the session goes on. */
  async function answer(name: string, given: Record<string, unknown>) {
    const known = [...secrets];
    const result = (value: unknown) => {
      const text = hideSecrets(resultText(value), known);
      return { content: [{ type: "text" as const, text }] };
    };
    try {
      return result(await callTool(name, given, known));
    } catch (error) {
      const { stack: _, exitCode: __, ...fields } = errorFields(error, undefined);
      return { ...result({ error: fields }), isError: true };
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
  const ended = Promise.race([once(io.stdin, "close"), stopSignal(io)]);
  await mcp.connect(new sdk.StdioServerTransport(io.stdin, writableOf(io.stdout)));
  await ended;
  await mcp.close();
  return EXIT.ok;
}

/** What the protocol writes goes to the output as it is: it is read by a program. */
const writableOf = (output: TextOutput): Writable =>
  new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      output.write(text);
      done();
    },
  });

/** Removes the settings of a real service, so that no tool can use them; returns the secrets among them. */
function takeSettings({ env }: Io): string[] {
  const { MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET } = env;
  for (const name of ["MALIPO_API_KEY", "MALIPO_BASE_URL", "MALIPO_WEBHOOK_SECRET"]) {
    delete env[name];
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
