import type { Flag } from "./types.ts";

// Flags that several commands take.

export const SANDBOX: Flag = {
  name: "url",
  value: "address",
  summary: "where the sandbox runs",
  standard: "http://127.0.0.1:4010",
};

export const GATEWAY: readonly Flag[] = [
  {
    name: "base-url",
    value: "address",
    summary: "the service, path prefix included",
    standard: "MALIPO_BASE_URL",
  },
  {
    name: "key-file",
    value: "path",
    summary: "a file that holds the API key and nothing else",
    standard: "the key in MALIPO_API_KEY",
  },
];

export const SECRET: Flag = {
  name: "secret",
  value: "secret",
  summary: "the webhook signing secret, exactly as given",
  standard: "MALIPO_WEBHOOK_SECRET",
};

export const QUERY: Flag = {
  name: "query",
  value: "name=value",
  summary: "passed on to the service, whose interface shows no query",
  many: true,
};

export const SET: Flag = {
  name: "set",
  value: "path=text",
  summary: "sets a field; path:=json for numbers, true, lists",
  many: true,
};

export const DATA: Flag = {
  name: "data",
  value: "json",
  summary: "all fields as one JSON object; @path reads a file, @- the standard input",
};
