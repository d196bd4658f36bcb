import { type Document, isEmpty, type Place } from "./openapi.ts";

/** Values for what a path names, where the document has no example. */
const PATH_VALUES: Readonly<Record<string, string>> = {
  reference: "PAY-7Q3ZKX9M2B4T",
  invoice: "INV-0001",
  number: "0712345678",
  name: "before-payday",
};

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a command. The key comes from the environment: the page shows no secret. */
export function curlOf(document: Document, { method, path, operation }: Place): string {
  const url = `${document.servers[0]?.url}${path.replace(/\{(\w+)\}/g, (_, name) => PATH_VALUES[name] ?? "ID")}`;
  const needsKey = operation["x-keys"] !== undefined;
  const { example } = operation.requestBody?.content?.["application/json"] ?? {};
  const hasBody = example !== undefined && !isEmpty(example);
  const verb =
    method === "get" || (method === "post" && hasBody) ? "" : ` -X ${method.toUpperCase()}`;
  const lines = [
    `curl -s${verb} ${url}`,
    ...(needsKey ? ['-H "X-API-Key: $MALIPO_API_KEY"'] : []),
    ...(hasBody
      ? ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(example))}`]
      : []),
  ];
  return lines.join(" \\\n  ");
}
