/**
 * What may stand in a profile as a name. It is an allow list: a key that is not sure to be the name
 * of a field is written as `*`.
 */

/** Words that APIs use in names of fields and headers, in statuses and in kinds of events. */
const WORDS = new Set(
  `a v abandoned about accepted access account accounts action active activity additional address after age agent
  airtel all allow allowed amount amounts an and api app application approved archived at attempt attempts
  attributes auth authorization available avatar awaiting balance bank bar batch before begin billing blocked
  body branch brand browser business by cache call callback cancel canceled cancelled carbon card carrier cart
  category cents channel charge charged charges checkout city client close closed code codes comment company
  complete completed config confirmed connect content context control conversation coordinates copy correlation
  cors cost count country created creation credit creditor currency current cursor custom customer customers
  data date day days dead debit debtor declined default deleted delivered deliveries delivery desc description
  destination detail details device digest direction disabled discount display disputed doc docs document
  domain draft due duration email embedded empty enabled end ended entries entry environment error errors event
  events expected expired expires expiry ext external extra failed failure fault fee fees field fields file
  final finished first flag flow for format found frame fraud free from full funds gateway geo gross group guid
  has hash header headers held hint hits hold home hook host href html id identifier identity ids image in
  index info initiated input instance institution instructions integration interval invalid invoice invoices is
  iso issued issuer item items jsonapi kes key keys kind label language last lat late latitude left length
  level limit line lines link links list live livemode lng loan local locale location log lon longitude mail
  max maximum me media member merchant message messages meta metadata method min minimum minor mobile mode
  money month more mpesa msg msisdn mtn name names narration narrative national net network next no nonce not
  note notes notification number numbers object occurred of offset ok old on open operation operator option
  options order orders org origin original other outcome outstanding overdue owner page pageable pages
  pagination paging paid param parameter parameters parent part partial partner party password past path payer
  payload payment payments payout pending per percent period permissions person phone pin plan platform point
  pointer policy position postal powered prefix prev previous price primary priority private process processed
  processing processor product profile progress prompt prompts properties property protocol provider public
  publishable purpose quantity query queue queued rate ratelimit rates rating raw reason receipt received
  receiver recipient record records recurring redirect ref reference references refund refunded region rejected
  related relationships remaining remark remarks removed request requested requests require required reset
  resource response result results resume retries retry return returned reversed revoked role route row rows
  rules run safaricom sandbox scheduled schema scheme scope score search second seconds secret security seen
  self sender sent sequence service session set shipping shop short shortcode signature signed signing site
  size sms sort source spec special stage start started state statement status step stk stopped store string
  sub subject submitted subscription subscriptions subtotal succeeded success successful sum summary support
  suspended sys system tag tags target tax team tel tenant tenants term terminal test text the third time timed
  timeout times timestamp timezone title to token topic total totals trace tracking trans transaction
  transactions transfer trial tries type types unique unit units unknown unpaid unsent until updated uri url
  urls usage use used user username users ussd uuid valid validated validation value values vat verb
  verification verified version violations void voided wait wallet warning warnings was webhook webhooks week
  weight window with withdrawal work write year zip zone`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

const MAX_NAME = 48;
const MAX_WORDS = 7;
const MAX_WORD = 18;

/** Whether a word, in small letters, is one that APIs use: it can name no person. */
const isKnownWord = (word: string): boolean =>
  WORDS.has(word.replace(/\d{1,9}$/, "")) || WORDS.has(word.replace(/s$/, ""));

/** `payment_id`, `currentPage`, `ResultCode`, `line-1`: the words, in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z]\d?)([A-Z])/g, "$1 $2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ")
    .toLowerCase()
    .split(/[ /_-]+/)
    .filter((word) => word !== "");

/** A word of letters, with at most two digits at its end; a few longer ones are terms. */
const WORD = /^(?:[a-z]+\d{0,2}|\d|sha\d{3}|iso\d{4}|e164|utf8|oauth2)$/;

/** Letters that no word has: six in a row without a vowel. */
const NO_WORD = /[bcdfghjklmnpqrstvwxz]{6}/;

/** `deadbeef`: a hash that has letters only. */
const HEXADECIMAL = /^[a-f]{7,}$/;

/** Capitals only: a long one is a code, not a name. */
const CODE = /^(?=.*[A-Z])[A-Z\d]{8,}$/;

/** `order-7`, `INV-1`: a number after a hyphen is a counter. */
const NUMBERED = /-\d+$/;

/** `sk_zz_top`: what begins like a key is one. */
const KEY = /^(?:sk|pk|sb|rk|ak|whsec)_/i;

/** `constructor`, `__proto__`: names that every object has. */
const isInherited = (key: string): boolean => key in Object.prototype;

const isWord = (word: string): boolean =>
  word.length <= MAX_WORD && WORD.test(word) && !NO_WORD.test(word) && !HEXADECIMAL.test(word);

/** Whether a key of an object is surely the name of a field: not an id, a phone number or a hash. */
export const isFieldName = (key: string): boolean =>
  key.length <= MAX_NAME && key.split("/").every(isPlainName);

/** Part of a name such as `v1/transaction`. */
function isPlainName(key: string): boolean {
  if (!/^[A-Za-z_$@][\w-]*$/.test(key)) return false;
  if (isInherited(key) || NUMBERED.test(key) || isSecret(key)) return false;
  const words = wordsOf(key.replace(/^[$@_]+/, ""));
  return (
    words.length > 0 &&
    words.length <= MAX_WORDS &&
    words.every(isWord) &&
    !isRandom(key) &&
    (!CODE.test(key) || isKnownWord(key.toLowerCase()))
  );
}

/** `aB3xQ9zT`: letters of both cases and digits that change too often for words. */
function isRandom(key: string): boolean {
  const changes = key
    .replace(/[^A-Za-z\d]/g, "")
    .match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g);
  return (changes?.length ?? 0) > Math.max(2, key.length / 4);
}

/** Names of headers come in small letters, in which a code looks like a long word: theirs are shorter. */
const HEADER_WORD = /^(?:[a-z]{1,14}|[a-z]{0,10}\d{1,4})$/;

/** A word of digits and letters after a prefix of a key; `secret_key` is the name of a field. */
const isSecret = (key: string): boolean =>
  KEY.test(key) && !wordsOf(key).slice(1).every(isKnownWord);

/** Whether every word of a name is one that APIs use. */
export const isKnownName = (name: string): boolean => {
  const words = wordsOf(name.replace(/^[$@_]+/, ""));
  return words.length > 0 && words.every(isKnownWord);
};

/** Whether a name has at least one word that APIs use. */
export const hasKnownWord = (name: string): boolean => wordsOf(name).some(isKnownWord);

/**
 * Whether the name of a header may stand in a profile: `x-request-id`, not `x-customer-wanjiku`. Only
 * its first word may be unknown, such as the name of the service in `x-acme-request-id`.
 */
export function isHeaderName(name: string): boolean {
  if (!/^[a-z][a-z\d-]*$/.test(name) || !isFieldName(name) || OF_TRANSPORT.test(name)) return false;
  const words = wordsOf(name)
    .filter((word, index) => !(index === 0 && word === "x"))
    .map((word) => (HEADER_TERMS.has(word) ? "type" : word));
  const [first = "", ...rest] = words;
  if (!HEADER_WORD.test(first) || !rest.every(isKnownWord)) return false;
  return isKnownWord(first) || rest.length > 0;
}

/** Headers of the connection and of proxies: they tell nothing about the service. */
const OF_TRANSPORT =
  /^(?:connection|keep-alive|transfer-encoding|content-length|date|host|te|trailer|upgrade|via|accept|accept-.+|user-agent|content-encoding|forwarded|x-forwarded-.+|x-real-ip|cf-.+|x-amz.*|cdn-loop|server|set-cookie|cookie|authorization|age|alt-svc|etag|last-modified|report-to|nel|sec-.+|traceparent|tracestate|expect)$/;

/** Words of headers only. */
const HEADER_TERMS = new Set(
  "accept etag expose nosniff opener embedder transport strict csp xss cross referrer vary www authenticate varies pragma deprecation sunset idempotency idempotent".split(
    " ",
  ),
);

/** Whether a field holds the status of its object: `status`, `payment_status`, `state`. */
export const isStatusName = (name: string): boolean => /(?:status|state)$/i.test(name);

/** Whether a value of `status` or of `event` may stand in a profile: words that APIs use. */
export const isClosedValue = (value: string): boolean =>
  /^(?:[a-z_.]{1,40}|[A-Z][a-z_]{1,39}|[A-Z_]{1,40})$/.test(value) &&
  isKnownName(value.replaceAll(".", "_"));

/**
 * Whether the value of a result may stand in a profile: a word, or a number below 1,000 such as `00` or `403`.
 * A longer number may be the code of a branch or a PIN.
 */
export const isBodyResultValue = (value: string): boolean =>
  /^(?:true|false|0?\d{1,3})$/.test(value) || isClosedValue(value);

/** As {@link isPlainName} has it, in each part of a name such as `v1/@type`. */
const SEGMENT = /^(?:\*|\{field\}|[A-Za-z_$@][\w-]*(?:\/[A-Za-z_$@][\w-]*)*)$/;

/** No path that malipo writes is longer: eight names at most. */
const MAX_PATH = 500;

/** Removes the `[]` at the end of a segment. A loop, because a pattern takes the square of the length. */
export function withoutBrackets(segment: string): string {
  let end = segment.length;
  while (segment.endsWith("[]", end)) end -= 2;
  return segment.slice(0, end);
}

export function isShapePath(path: string): boolean {
  if (path === "$") return true;
  if (path.length > MAX_PATH) return false;
  const [first = "", ...rest] = path.split(".").map(withoutBrackets);
  const isSegment = (one: string) => SEGMENT.test(one) && !isInherited(one);
  return ((first === "" && path.startsWith("[]")) || isSegment(first)) && rest.every(isSegment);
}
