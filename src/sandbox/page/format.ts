import { formatTimestamp } from "../clock/time.ts";
import { formatAmount } from "../state/money.ts";

/** `KES 1,500.00`. */
export const money = (cents: number, currency = "KES"): string =>
  `${currency} ${formatAmount(cents).replace(/\B(?=(\d{3})+\.)/g, ",")}`;

/** `09:00:12`, in the sandbox's time zone. */
export const timeOf = (ms: number): string => formatTimestamp(ms).slice(11, 19);

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** `Thu 1 January 2026`, in the sandbox's time zone. */
export function dateOf(ms: number): string {
  const [year, month, day] = formatTimestamp(ms).slice(0, 10).split("-").map(Number);
  const weekday = DAYS[new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day)).getUTCDay()];
  return `${weekday} ${day} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

/** A duration as a person says it: `48 s`, `5 min`, `2 h 5 min`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** Text that may be long, cut to fit one line. */
export const clipped = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** Text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
