// Writes src/openapi/interfaces.ts: the fields of the interfaces in src/contract, as their declarations
// and comments state them. Run `npx node scripts/contract-fields.ts`; a test fails if the file is out of date.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import ts from "typescript";

/** The file that is written. */
export const PATH = "src/openapi/interfaces.ts";

const SOURCES = ["payment", "webhook", "merchant-account", "invoice", "events"].map(
  (name) => `src/contract/${name}.ts`,
);

const HEADER = `// Written by \`npx node scripts/contract-fields.ts\` from the interfaces of src/contract: do not edit it.

/** The fields of each interface that has documented ones, as its declaration and its comments state them. */
export const INTERFACES = `;

const FOOTER = " as const;\n";

/** The JSON type of a field, and the values that are documented. */
function typeOf(type: ts.Type): object {
  const members = type.isUnion() ? type.types : [type];
  if (type.isStringLiteral()) return { const: type.value };
  const values = members.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
  const types = members.flatMap((one) => {
    if (one.flags & ts.TypeFlags.BooleanLike) return ["boolean"];
    if (one.flags & ts.TypeFlags.NumberLike) return ["number"];
    // `string & {}` beside literals is a string too.
    return one.flags & ts.TypeFlags.StringLike || one.isIntersection() ? ["string"] : [];
  });
  const [first, ...others] = new Set(types);
  if (first === undefined) throw new Error("A documented field has a type that has no row here.");
  return {
    type: others.length > 0 ? [first, ...others] : first,
    ...(values.length > 0 && { values }),
  };
}

function fieldOf(field: ts.Symbol, checker: ts.TypeChecker): object {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(field));
  const [item] = checker.isArrayType(type)
    ? checker.getTypeArguments(type as ts.TypeReference)
    : [];
  const text = ts.displayPartsToString(field.getDocumentationComment(checker));
  const tags = field.getJsDocTags(checker).filter(({ name }) => name === "default");
  const defaults = tags.map((tag) => `Default: ${ts.displayPartsToString(tag.text)}.`);
  return {
    ...(item === undefined ? typeOf(type) : { type: "array", items: typeOf(item) }),
    ...(field.flags & ts.SymbolFlags.Optional && { optional: true }),
    description: [text, ...defaults].join(" ").replace(/\s+/g, " "),
  };
}

/** The text of the file, from the interfaces as they are now. */
export function interfacesText(): string {
  const program = ts.createProgram(SOURCES, {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const declarations = SOURCES.flatMap((path) =>
    [...(program.getSourceFile(path)?.statements ?? [])].filter(ts.isInterfaceDeclaration),
  ).filter(
    ({ modifiers, typeParameters }) =>
      modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) &&
      typeParameters === undefined,
  );
  const interfaces = declarations.flatMap(({ name }) => {
    const fields = checker.getTypeAtLocation(name).getProperties();
    const rows = fields.map((field) => [field.name, fieldOf(field, checker)] as const);
    return rows.length === 0 ? [] : [[name.text, Object.fromEntries(rows)] as const];
  });
  // Of two with the same fields, such as `PaymentFields` and `Payment`, the last one has the name.
  const distinct = new Map(interfaces.map((one) => [JSON.stringify(one[1]), one]));
  const rows = JSON.stringify(Object.fromEntries(distinct.values()));
  const source = `${HEADER}${rows}${FOOTER}`;
  const format = ["node_modules/@biomejs/biome/bin/biome", "format", `--stdin-file-path=${PATH}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, format, {
    input: source,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The fields could not be formatted: ${stderr}`);
  return stdout;
}

if (import.meta.main) writeFileSync(PATH, interfacesText());
