// Writes the tables of the docs that come from the sources, between their markers.
// Run `npx node scripts/generate-docs.ts` to write them; a test fails if a table is out of date.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import type { Input } from "../src/checkout/rules/inputs.ts";
import { RULES } from "../src/checkout/rules/rules.ts";
import { COMMAND_GROUPS, ENVIRONMENT } from "../src/cli/definitions/index.ts";
import { EXIT, EXIT_MEANINGS } from "../src/cli/exit-codes.ts";
import { ENDPOINTS, type Endpoint } from "../src/contract/endpoints.ts";
import { EVENT_KINDS } from "../src/contract/events.ts";
import { RESULT_CODES } from "../src/contract/result-codes.ts";
import { interfaceSchema } from "../src/openapi/field-schemas.ts";
import { ASSUMPTIONS, ONLY_SANDBOX } from "../src/sandbox/assumptions.ts";
import { sendTestEvent } from "../src/sandbox/deliveries/test-event.ts";
import { createFetch } from "../src/sandbox/http/in-process.ts";
import { Engine } from "../src/sandbox/sandbox-engine.ts";
import { checkSandboxOptions } from "../src/sandbox/sandbox-options.ts";
import { FAILURES, MAGIC_SUFFIXES } from "../src/sandbox/state/prompt-outcomes.ts";
import { type End, type Row, WRONG_ENDINGS } from "../test/suites/wrong-on-paid.ts";
import { commandReference, commonFlags } from "./command-reference.ts";
import { markdownTable as table } from "./markdown-table.ts";

const code = (text: string) => `\`${text}\``;

/** A list, not a table: it fits a phone, and takes fewer words. */
const list = (items: readonly (readonly [name: string, text: string])[]): string =>
  items.map(([name, text]) => `- ${name}: ${text}`).join("\n");

const endpoints = (): string =>
  list(
    Object.entries<Endpoint>(ENDPOINTS).map(([name, { method, path, scope, keys, effect }]) => {
      const notes = [
        scope === undefined ? [] : code(scope),
        keys.includes("public") ? "public" : [],
        // A `GET` says by itself that it reads.
        method === "GET" ? [] : effect,
      ];
      return [code(name), [code(`${method} ${path}`), ...notes.flat()].join(", ")];
    }),
  );

/** The fields of a payment, as the comments of `Payment` state them. What only some payments have stands together. */
function paymentFields(): string {
  const all = Object.entries(interfaceSchema("Payment").properties).map(([name, schema]) => {
    const { type, description } = schema as { type: string; description: string };
    const [only = ""] = /Only for \w+ payments\.$/.exec(description) ?? [];
    const note = type === "string" ? "" : ` (${type})`;
    const text = description.slice(0, description.length - only.length).trim();
    return { only: only.replace(/\.$/, ":"), item: [`${code(name)}${note}`, text] as const };
  });
  const groups = [...new Set(all.map(({ only }) => only))].map((group) =>
    [group, list(all.filter(({ only }) => only === group).map(({ item }) => item))]
      .filter(Boolean)
      .join("\n\n"),
  );
  return groups.join("\n\n");
}

/** What a service decides, too: the page of the sandbox describes its tools. */
const assumptions = () =>
  list(
    Object.values(ASSUMPTIONS)
      .filter(({ learn }) => learn !== ONLY_SANDBOX)
      .map(({ about, choice }) => [about, choice]),
  );

function magicNumbers(): string {
  const rows = Object.entries(MAGIC_SUFFIXES).map(([answer, suffix]) => {
    const failure = Object.entries(FAILURES).find(([name]) => name === answer)?.[1];
    const meaning =
      answer === "approve" ? "paid, if the balance is enough" : "the customer does nothing";
    const again = failure?.retryPossible === true ? "" : " (`retry_possible: false`)";
    return [
      `${code(`…${suffix}`)} ${code(answer)}`,
      failure === undefined ? meaning : failure.reason + again,
    ] as const;
  });
  return list(rows);
}

const exitCodes = () =>
  list(
    Object.entries(EXIT).map(([name, exit]) => [
      code(String(exit)),
      EXIT_MEANINGS[name as keyof typeof EXIT],
    ]),
  );

const environment = () =>
  list(Object.entries(ENVIRONMENT).map(([name, meaning]) => [code(name), meaning]));

const resultCodes = () =>
  list(
    Object.entries(RESULT_CODES).map(([number, { cause, retry }]) => [
      `${code(number)} ${code(retry)}`,
      cause,
    ]),
  );

/** The body of each kind of event, as the sandbox sends it. Of those with the same fields, one is shown whole. */
async function eventBodies(): Promise<string> {
  const deliver = async () => new Response(null, { status: 200 });
  const engine = new Engine(checkSandboxOptions({ seed: "manual", deliver }));
  const service = ASSUMPTIONS.address.value.origin + ASSUMPTIONS.address.value.prefix;
  await createFetch(engine, service)(`${service}/webhooks/register`, {
    method: "POST",
    headers: { "x-api-key": engine.state.builtIn.secret, "content-type": "application/json" },
    body: JSON.stringify({ name: "shop", url: "https://shop.example", events: EVENT_KINDS }),
  });
  const [webhook] = engine.state.webhooks;
  const sections: string[] = [];
  const shown = new Map<string, string>();
  for (const kind of EVENT_KINDS) {
    const { body } = await sendTestEvent(engine, webhook?.id ?? "", kind);
    const event = JSON.parse(body) as { data: { status: string } };
    const fields = Object.keys(event.data).join();
    const same = shown.get(fields);
    if (same === undefined) shown.set(fields, kind);
    // The service documents the first two. Of the others, the data shows what is new.
    const shownPart = sections.length < 2 ? event : event.data;
    const text =
      same === undefined
        ? `\`\`\`json\n${JSON.stringify(shownPart, undefined, 2)}\n\`\`\``
        : `As \`${same}\`, with \`"status": "${event.data.status}"\`.`;
    sections.push(`## ${kind}\n\n${text}`);
  }
  return sections.join("\n\n");
}
const EVENT_BODIES = await eventBodies();

/** What becomes known, in the words of the manual. */
const INPUTS: Readonly<Record<Input["kind"], string>> = {
  asked: "The customer wants to pay",
  accepted: "The service returned a reference",
  rejected: "The service rejected the request, or it was not sent",
  lost: "The response never came",
  key: "The idempotency key was read",
  reported: "A webhook or a read reports a payment",
  blocked: "The phone has a prompt, or had too many",
  due: "Something is due",
  effect_done: "`onPaid` has committed",
  effect_failed: "`onPaid` has failed",
  effect_unclear: "`onPaid` used `transaction` in a wrong way",
  updated: "`update` was called",
  effect_refused: "`onPaid` has refused the money",
  canceled: "`cancel` was called",
  decided: "A person decided a review",
  refund_added: "A person has paid money back",
};

const rules = () =>
  table(
    ["what becomes known", "rule", "promise"],
    Object.entries(RULES).flatMap(([kind, list]) =>
      list.map(({ name, promises }, at) => [
        at === 0 ? INPUTS[kind as Input["kind"]] : "",
        name,
        promises.join(", "),
      ]),
    ),
  );

/** What becomes of the goods, in a word that the page explains. */
const ENDS: Readonly<Record<End, string>> = {
  given: "given",
  "given, told": "given+review",
  told: "retried",
  stopped: "stopped",
  dropped: "dropped",
  empty: "empty",
  safe: "given/review",
  refused: "refused",
  again: "repeated",
};

/** Each server, with its driver and with a library. */
const SERVERS = [["sqlite"], ["pg", "orm"], ["mysql2", "mysqlOrm"]] as const;

/** What becomes of it with the driver; with a library, if that is something else. */
const endsOn = ({ end }: Row, [driver, orm]: (typeof SERVERS)[number]): string => {
  const of = (engine: typeof driver | "orm" | "mysqlOrm") =>
    typeof end === "string" ? end : end[engine];
  const [own, other] = [of(driver), orm && of(orm)];
  if (own === undefined) return "";
  return other === undefined || other === own ? ENDS[own] : `${ENDS[own]}, ORM: ${ENDS[other]}`;
};

/** What ends alike on each engine is a line for each end, and the rest is a table. */
function wrongEndings(): string {
  const rows = WRONG_ENDINGS.map((row) => ({
    name: row.name,
    ends: SERVERS.map((server) => endsOn(row, server)),
  }));
  const isAlike = ({ ends }: (typeof rows)[number]) => new Set(ends).size === 1;
  const alike = new Map<string, string[]>();
  for (const { name, ends } of rows.filter(isAlike)) {
    const end = ends[0] ?? "";
    alike.set(end, [...(alike.get(end) ?? []), name]);
  }
  const lines = [...alike].map(([end, names]) => `- *${end}*: ${names.join("; ")}`);
  const others = rows.filter((row) => !isAlike(row)).map(({ name, ends }) => [name, ...ends]);
  return `${lines.join("\n")}\n\n${table(["`onPaid`", "SQLite", "PostgreSQL", "MariaDB"], others)}`;
}

/** Every generated table, by the name in its marker. */
const TABLES: Readonly<Record<string, () => string>> = {
  endpoints,
  paymentFields,
  assumptions,
  magicNumbers,
  events: () => EVENT_BODIES,
  commonFlags,
  // `cli-sandbox`, `cli-webhooks` and so on.
  ...Object.fromEntries(
    COMMAND_GROUPS.map((group) => [`cli-${group.name}`, () => commandReference(group)]),
  ),
  exitCodes,
  environment,
  resultCodes,
  rules,
  wrongEndings,
};

// `typescript`, not `ts`: the docs tests compile `ts` blocks, and the examples have tests already.
const LANGUAGES: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".tsx": "tsx",
  ".json": "json",
};

/**
 * The lines of an example from the first one that contains `from` to the next one that contains `to`.
 *
 * @throws {Error} If no line contains them.
 */
function linesBetween(text: string, from: string, to?: string): string {
  const lines = text.trimEnd().split("\n");
  const first = lines.findIndex((line) => line.includes(from));
  const last =
    to === undefined
      ? lines.length - 1
      : lines.findIndex((line, index) => index >= first && line.includes(to));
  if (first === -1 || last === -1) throw new Error(`An example has no line with ${from} or ${to}.`);
  return lines.slice(first, last + 1).join("\n");
}

/** A page with its tables and examples generated from the current sources. */
export function withTables(page: string): string {
  return page
    .replace(
      /(<!-- generated: ([\w-]+) -->)[\s\S]*?(<!-- end -->)/g,
      (_, begin: string, name: string, end: string) => {
        const make = TABLES[name];
        if (make === undefined) throw new Error(`There is no table called ${name}.`);
        return `${begin}\n${make()}\n${end}`;
      },
    )
    .replace(
      /(<!-- example: (\S+)(?: from "([^"]+)")?(?: to "([^"]+)")? -->)[\s\S]*?(<!-- end -->)/g,
      (_, begin: string, file: string, from = "", to: string | undefined, end: string) => {
        const text = linesBetween(readFileSync(file, "utf8"), from, to);
        return `${begin}\n\`\`\`${LANGUAGES[extname(file)]}\n${text}\n\`\`\`\n${end}`;
      },
    );
}

/** The pages that hold generated tables. */
export const PAGES = [
  "reference/service",
  "reference/cli",
  "reference/cli-sandbox",
  "reference/cli-webhooks",
  "reference/cli-service",
  "reference/cli-learn",
  "reference/cli-stores",
  "reference/cli-drill",
  "reference/events",
  "reference/result-codes",
  "reference/sandbox",
  "reference/sandbox-assumptions",
  "contributing/checkout-rules",
  "contributing/on-paid",
].map((name) => `docs/${name}.md`);

/** The pages that hold the code of examples. */
export const EXAMPLE_PAGES: readonly string[] = globSync("docs/{guides,operations}/*.md").filter(
  (page) => readFileSync(page, "utf8").includes("<!-- example: "),
);

if (import.meta.main) {
  for (const page of [...PAGES, ...EXAMPLE_PAGES])
    writeFileSync(page, withTables(readFileSync(page, "utf8")));
}
