import { createSandbox } from "malipo/sandbox";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { typesOf } from "../../src/learn/declarations.ts";
import { Recorder } from "../../src/learn/recorder.ts";
import { EMPTY_PROFILE } from "../../src/profile/profile-types.ts";

const response = (method: string, path: string, body: unknown, status = 200) => ({
  method,
  path,
  status,
  headers: [],
  body: JSON.stringify(body),
});

/** A service with a field of every kind. */
function learnedTypes(): string {
  const recorder = new Recorder({ by: "probe", run: "aaaaaaaa" });
  const invoice = { id: 7, total: "10.00", status: "draft", lines: [{ sku: "A", count: 1 }] };
  recorder.record(
    response("GET", "/merchant", {
      data: {
        name: "Shop",
        settings: { sms: true, "reply-to": null },
        rates: { "254712345678": 1.5, "254712345679": 2 },
        tags: ["a"],
        mixed: [1, "x"],
        nothing: [],
      },
    }),
  );
  recorder.record(response("POST", "/invoices", { data: invoice }, 201));
  recorder.record(
    response("GET", "/invoices", {
      data: [
        { ...invoice, paid_at: null },
        { ...invoice, note: "x" },
      ],
    }),
  );
  recorder.record(
    response("GET", "/payments/x", { data: { status: "pending", channel: "stk", amount: "1.00" } }),
  );
  recorder.recordDelivery({
    headers: [],
    body: JSON.stringify({ event: "invoice.paid", timestamp: "", data: invoice }),
    status: 200,
    receivedAt: 0,
  });
  return typesOf(recorder.profile());
}

const PROGRAM = `
import type { Invoice, Merchant, Payment } from "malipo";
import type { InvoicePaidData } from "malipo/webhooks";

export function use(merchant: Merchant, invoice: Invoice, payment: Payment, paid: InvoicePaidData) {
  const total: string = invoice.total;
  const sku: string | undefined = invoice.lines[0]?.sku;
  const sms: boolean = merchant.settings.sms;
  const rate: number | undefined = merchant.rates["x"];
  const channel: string | undefined = payment.channel?.toUpperCase();
  const note: string | undefined = invoice.note;
  return [total, sku, sms, rate, channel, note, paid.lines.length];
}
`;

// Not a `.d.ts`, which `skipLibCheck` would leave unchecked.
const LEARNED = "learned.ts";

const folder = `${process.cwd()}/test/learn/`;

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const host = ts.createCompilerHost(options);
/** The files of the disk, which each program has, are parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What a compiler says about files that exist only here. */
function compile(files: Record<string, string>): string[] {
  const contents = new Map(Object.entries(files).map(([name, text]) => [folder + name, text]));
  const program = ts.createProgram([...contents.keys()], options, {
    ...host,
    readFile: (name) => contents.get(name) ?? host.readFile(name),
    fileExists: (name) => contents.has(name) || host.fileExists(name),
    getSourceFile: (name, version, ...rest) => {
      const text = contents.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, version);
      if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, version, ...rest));
      return parsed.get(name);
    },
  });
  return [...contents.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    const found = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  });
}

describe("the types of a profile", () => {
  let types = "";
  beforeAll(() => {
    types = learnedTypes();
  });

  test("compile, and a program that uses learned fields compiles with them", () => {
    expect(compile({ [LEARNED]: types, "program.ts": PROGRAM })).toEqual([]);
  });

  test("are needed: without them the program does not compile", () => {
    const errors = compile({ "program.ts": PROGRAM });
    expect(errors).toContain("Type 'unknown' is not assignable to type 'string'.");
  });

  test("do not let a program use a field that was not seen", () => {
    const program = `import type { Invoice } from "malipo";\nexport const length = (one: Invoice) => one.totals.length;`;
    expect(compile({ [LEARNED]: types, "program.ts": program })).toEqual([
      "'one.totals' is of type 'unknown'.",
    ]);
  });

  test("make a field optional that was not always there, and say how often it was", () => {
    expect(types).toContain("/** Seen 1 of 3, token. */\n    note?: string;");
    expect(types).toContain("/** Seen 3 of 3, decimal2. */\n    total: string;");
    expect(types).toContain('status: "draft" | (string & {});');
    expect(types).toContain("rates: {\n      [key: string]: number;\n    };");
  });

  test("of a profile of nothing, and of a sandbox, compile", async () => {
    const sandbox = createSandbox();
    const recorder = new Recorder({ by: "probe" });
    for (const path of ["/merchant", "/merchant/payment-accounts", "/payments", "/invoices"]) {
      const headers = { "x-api-key": sandbox.keys.secret };
      const found = await sandbox.fetch(sandbox.baseUrl + path, { headers });
      const body = await found.text();
      recorder.record({ method: "GET", path, status: found.status, headers: found.headers, body });
    }
    expect(compile({ [LEARNED]: typesOf(recorder.profile()) })).toEqual([]);
    expect(compile({ [LEARNED]: typesOf(EMPTY_PROFILE) })).toEqual([]);
  });
});
