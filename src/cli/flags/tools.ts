import type { FlagRows } from "../../internal/flags.ts";
import { GATEWAY, SECRET } from "./common.ts";

export const TRIGGER = {
  to: { value: "url", summary: "the URL of the receiver" },
  ...SECRET,
  set: {
    value: "path=text",
    summary: "sets a field of the event; path:=json sets a number, a boolean or a list",
    repeatable: true,
  },
  any: { summary: "allow an event that the service does not document" },
} as const satisfies FlagRows;

export const VERIFY = {
  signature: { value: "hex", summary: "the value of the header X-Service-Signature" },
  ...SECRET,
  secret: { ...SECRET.secret, repeatable: true },
  "max-age": { value: "seconds", summary: "reject events whose signed timestamp is older" },
  header: {
    value: "name: value",
    summary: "another header of the delivery: tries whether a time in it was signed with the body",
    repeatable: true,
  },
} as const satisfies FlagRows;

export const DOCTOR = {
  ...GATEWAY,
  webhook: {
    value: "url",
    summary: "a receiver: it is sent one signed event and one with a forged signature",
    forModels: true,
  },
  ...SECRET,
} as const satisfies FlagRows;
