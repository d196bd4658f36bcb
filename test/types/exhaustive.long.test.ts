import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config,
  ts.sys,
  root,
);

/** One more of something: the file that declares it, and the files that do not compile until they know of it. */
interface Addition {
  readonly what: string;
  readonly file: string;
  readonly before: string;
  readonly added: string;
  readonly asked: readonly string[];
}

const ADDITIONS: readonly Addition[] = [
  {
    what: "switch of a drill that is a setting of the shop",
    file: "src/drill/drill-options.ts",
    before: '  "double-click":',
    added: '  another: { summary: "one more" },',
    asked: ["src/drill/drill-settings.ts"],
  },
  {
    what: "switch in the place of a drill",
    file: "src/drill/drill-options.ts",
    before: "  list:",
    added: '  another: { summary: "one more" },',
    asked: ["src/cli/commands/drill.ts"],
  },
  {
    what: "kind of event",
    file: "src/contract/events.ts",
    before: '  "payment.initiated",',
    added: '  "payment.another",',
    asked: [
      "src/checkout/orders/payment-updates.ts",
      "src/openapi/event-schemas.ts",
      "src/sandbox/deliveries/test-event.ts",
      "src/webhooks/receiver/event-identity.ts",
    ],
  },
  {
    what: "reason that a customer reads",
    file: "src/checkout/rules/customer-messages.ts",
    before: "  not_sent:",
    added: '  another: "One more.",',
    asked: ["src/checkout/page/languages/french.ts", "src/checkout/page/languages/swahili.ts"],
  },
  {
    what: "result code of the network",
    file: "src/contract/result-codes.ts",
    before: '  | "2"\n',
    added: '  | "5"\n',
    asked: [
      "src/contract/result-codes.ts",
      "src/checkout/page/languages/french.ts",
      "src/checkout/page/languages/swahili.ts",
    ],
  },
  {
    what: "text of the pay page",
    file: "src/checkout/page/languages/texts.ts",
    before: "  readonly payTitle: string;",
    added: "  readonly another: string;",
    asked: [
      "src/checkout/page/languages/english.ts",
      "src/checkout/page/languages/french.ts",
      "src/checkout/page/languages/swahili.ts",
    ],
  },
  {
    what: "engine of a store",
    file: "src/cli/input/databases.ts",
    before: '  readonly engine: "sqlite"',
    added: '  readonly engine: "another" |',
    asked: ["src/cli/input/open-engine.ts"],
  },
];

/** The source of an addition, with it. */
function sourceWith({ file, before, added }: Addition): string {
  const text = readFileSync(root + file, "utf8");
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${file} has ${JSON.stringify(before)} not once.`);
  // A field that exists gets the new value before its others.
  const replaced = added.endsWith("|") ? before.replace(/^.*: /, `${added} `) : added + before;
  return parts.join(replaced);
}

/** The errors of these files, if one file has this source. */
function errorsIn(files: readonly string[], changed?: { file: string; source: string }): string[] {
  const host = ts.createCompilerHost(options);
  const read = host.readFile;
  host.readFile = (path) =>
    changed !== undefined && path === root + changed.file ? changed.source : read(path);
  const program = ts.createProgram({ rootNames: files.map((file) => root + file), options, host });
  return files.filter(
    (file) => program.getSemanticDiagnostics(program.getSourceFile(root + file)).length > 0,
  );
}

test.each(ADDITIONS)(
  "one more $what does not compile until it is handled",
  (addition) => {
    const { file, asked } = addition;
    expect(errorsIn(asked, { file, source: sourceWith(addition) })).toEqual(asked);
  },
  240_000,
);

test("all of them compile as they are", () => {
  const asked = ADDITIONS.flatMap((addition) => addition.asked);
  expect(errorsIn([...new Set(asked)])).toEqual([]);
});
