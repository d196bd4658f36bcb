import { DURATION_UNITS } from "../../internal/duration.ts";
import { flag, flags } from "../command.ts";

// The flags that several commands take.

export const SANDBOX_URL = flag(
  "--url <url>",
  "the URL of the running sandbox [otherwise: the one that is running]",
);

export const BASE_URL = flag(
  "--base-url <url>",
  "the URL of the service, with its path prefix [otherwise: MALIPO_BASE_URL]",
);

export const GATEWAY = [
  BASE_URL,
  ...flags({
    "--key-file <path>":
      "a file that contains only the API key [otherwise: the key in MALIPO_API_KEY]",
  }),
];

export const SECRET = flag(
  "--secret <secret>",
  "the webhook signing secret, exactly as the service shows it. Other users of this machine can see it: prefer --secret-file or MALIPO_WEBHOOK_SECRET [otherwise: MALIPO_WEBHOOK_SECRET]",
);

export const SECRET_FILE = flag(
  "--secret-file <path>",
  "a file that contains only the webhook signing secret [otherwise: the secret in MALIPO_WEBHOOK_SECRET]",
);

export const QUERY = flag(
  "--query <name=value>",
  "a query parameter, passed to the service unchanged [repeatable]",
);

export const SET = flag(
  "--set <path=text>",
  "sets a field; path:=json sets a number, a boolean or a list [repeatable]",
);

export const DATA = flag(
  "--data <json>",
  "all fields as one JSON object; @path reads a file, @- reads standard input",
);

export const WAIT_TIMEOUT = flag(
  "--timeout <duration>",
  `how long to wait: a number with a unit (${DURATION_UNITS.join(", ")}) [default: 2m]`,
);
