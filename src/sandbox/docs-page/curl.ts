import { type Document, type Place, resolve, type Schema } from "./openapi.ts";

/** Values for what a path names, where the document has no example. */
const PATH_VALUES: Readonly<Record<string, string>> = {
  reference: "PAY-7Q3ZKX9M2B4T",
  invoice: "INV-0001",
  number: "0712345678",
  name: "before-payday",
};

/** A body from the fields of a schema, for an operation without an example. */
const bodyOf = (document: Document, schema: Schema | undefined): unknown => {
  const { properties = {} } = schema === undefined ? {} : resolve(document, schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === "number" ? 0 : "…"]),
  );
};

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a command. The key comes from the environment: the page shows no secret. */
export function curlOf(document: Document, { method, path, operation }: Place): string {
  const url = `${document.servers[0]?.url}${path.replace(/\{(\w+)\}/g, (_, name) => PATH_VALUES[name] ?? "ID")}`;
  const needsKey = operation["x-keys"] !== undefined;
  const { schema, example } = operation.requestBody?.content?.["application/json"] ?? {};
  const hasBody = operation.requestBody !== undefined;
  const verb =
    method === "get" || (method === "post" && hasBody) ? "" : ` -X ${method.toUpperCase()}`;
  const lines = [
    `curl -s${verb} ${url}`,
    ...(needsKey ? ['-H "X-API-Key: $MALIPO_API_KEY"'] : []),
    ...(hasBody
      ? [
          '-H "Content-Type: application/json"',
          `-d ${quoted(JSON.stringify(example ?? bodyOf(document, schema)))}`,
        ]
      : []),
  ];
  return lines.join(" \\\n  ");
}
