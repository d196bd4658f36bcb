import { DURATION_UNITS } from "../../internal/duration.ts";
import type { Flag } from "../command.ts";

// The flags that several commands take.

export const SANDBOX_URL: Flag = {
  name: "url",
  value: "url",
  summary: "the URL of the running sandbox",
  fallback: "the one that is running",
};

export const GATEWAY: readonly Flag[] = [
  {
    name: "base-url",
    value: "url",
    summary: "the URL of the service, with its path prefix",
    fallback: "MALIPO_BASE_URL",
  },
  {
    name: "key-file",
    value: "path",
    summary: "a file that contains only the API key",
    fallback: "the key in MALIPO_API_KEY",
  },
];

export const SECRET: Flag = {
  name: "secret",
  value: "secret",
  summary:
    "the webhook signing secret, exactly as the service shows it. Other users of this machine can see it: prefer --secret-file or MALIPO_WEBHOOK_SECRET",
  fallback: "MALIPO_WEBHOOK_SECRET",
};

export const SECRET_FILE: Flag = {
  name: "secret-file",
  value: "path",
  summary: "a file that contains only the webhook signing secret",
  fallback: "the secret in MALIPO_WEBHOOK_SECRET",
};

export const QUERY: Flag = {
  name: "query",
  value: "name=value",
  summary: "a query parameter, passed to the service unchanged",
  repeatable: true,
};

export const SET: Flag = {
  name: "set",
  value: "path=text",
  summary: "sets a field; path:=json sets a number, a boolean or a list",
  repeatable: true,
};

export const DATA: Flag = {
  name: "data",
  value: "json",
  summary: "all fields as one JSON object; @path reads a file, @- reads standard input",
};

export const WAIT_TIMEOUT: Flag = {
  name: "timeout",
  value: "duration",
  summary: `how long to wait: a number with a unit (${DURATION_UNITS.join(", ")})`,
  default: "2m",
};
