import { isKnownName } from "./names.ts";

/** Whether a value of `status` or of `event` may stand in a profile: words that APIs use. */
export const isClosedValue = (value: string): boolean =>
  /^(?:[a-z_.]{1,40}|[A-Z][a-z_]{1,39}|[A-Z_]{1,40})$/.test(value) &&
  isKnownName(value.replaceAll(".", "_"));

/** Whether a value of `currency` may stand in a profile. */
export const isCurrency = (value: string): boolean => /^[A-Z]{3}$/.test(value);
