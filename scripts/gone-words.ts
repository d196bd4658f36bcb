/**
 * Words that the code, the messages and the docs no longer use, and what to write instead.
 * `check-words.ts` looks for them; the terms that stay are in docs/contributing/glossary.md.
 */
export interface GoneWord {
  /** What to look for, a line at a time. */
  readonly pattern: RegExp;
  /** What to write in its place. */
  readonly instead: string;
  /** Where the same letters are right: what this finds is passed over. */
  readonly except?: RegExp;
  /** Only in files whose path this finds. Everywhere, unless given. */
  readonly path?: RegExp;
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/**
 * Finds a word by itself and inside identifiers: `settle` finds "settle", "Settle", `settleUnknown`,
 * `isSettle` and `SETTLE_MS`, and does not find "settlement". In an alternation every word counts.
 */
function wordOf(alternation: string): RegExp {
  const words = alternation.split("|");
  const lower = `(?<![A-Za-z])(?:${words.join("|")})(?![a-z])`;
  const camel = `(?<![A-Z])(?:${words.map(capital).join("|")})(?![a-z])`;
  const upper = `(?<![A-Za-z])(?:${words.join("|").toUpperCase()})(?![A-Za-z])`;
  return new RegExp(`${lower}|${camel}|${upper}`, "g");
}

/** Finds a function, a method or a class by its whole name, where it is called or declared. */
const callOf = (names: string): RegExp => new RegExp(`(?<![\\w$])(?:${names})\\(`, "g");

const PAYMENT_WORDS: readonly GoneWord[] = [
  {
    pattern: wordOf("settled|settles|settling"),
    instead: 'final ("reached a final status", `isFinal`, `finalStatuses`), or resolved (a key)',
    // The sandbox's own method, what promises do, and a status that other services send.
    except:
      /\|settled\||\bsettled\(|\bsettled: (?:(?:async )?\(\) =>|\w+\.settled\b)|\ballSettled\b|\bPromiseSettledResult\b|promises? (?:has |have |is |are )?settle[sd]?\b/gi,
  },
  {
    pattern: wordOf("settle|settler"),
    instead: "resolve (an attempt of unknown outcome)",
    except: /promises? settle\b/gi,
  },
  {
    pattern: wordOf("settlement|settlements"),
    instead: "final status; settlement is money that reaches the merchant's account",
  },
  { pattern: wordOf("standing|standings"), instead: "state, or `Receipt.kind`, or automatic" },
  { pattern: wordOf("onePerKey"), instead: "runOnce" },
  { pattern: wordOf("distrust|distrusts"), instead: "checkDurability" },
  { pattern: callOf("written"), instead: "writeBestEffort" },
];

const WEBHOOK_WORDS: readonly GoneWord[] = [
  {
    pattern: /\bwork(?:s|ed|ing)?(?: (?:it|them|this|that|what \w+|\w+))? off\b/gi,
    instead: 'processes, processed ("each event is processed once")',
  },
  {
    pattern:
      /\b(?:is|are|was|be|been|not|nor|or) worked\b|\bworked (?:again|once|twice|elsewhere)\b/gi,
    instead: "processed",
  },
  { pattern: /\bgiven up\b/gi, instead: "dead-lettered (an event), or stopped" },
  {
    pattern: /\b(?:a|an|the|no|any|each|every|other|known|of) repeats?\b|\brepeat of\b/gi,
    instead: "duplicate; redelivery, where the service sends it again",
  },
  { pattern: wordOf("courier|couriers"), instead: "delivery sender" },
  {
    pattern: wordOf("flight|flights"),
    instead: "delivery in flight",
    except: /in[-_ ]?flight|\bpreflight\b/gi,
  },
  { pattern: wordOf("lane|lanes"), instead: "concurrency limiter, or address" },
  { pattern: wordOf("bell|bells"), instead: "wake-up" },
];

const SANDBOX_WORDS: readonly GoneWord[] = [
  { pattern: wordOf("mishap|mishaps"), instead: "fault" },
  { pattern: wordOf("befall|befalls|befell|befallen"), instead: "happens to; inject" },
  { pattern: wordOf("strike|strikes"), instead: "inject, isInjected" },
  { pattern: wordOf("luck"), instead: "random" },
  { pattern: wordOf("skin|skins"), instead: "transport, or adapter" },
];

const CODE_WORDS: readonly GoneWord[] = [
  { pattern: /\b(?:STANDARD)_/g, instead: "DEFAULT_" },
  { pattern: /\b(?:MOST|LONGEST|DEEPEST|LARGEST)(?=_)|\bDEEPEST\b/g, instead: "MAX_" },
  { pattern: /\b(?:LEAST|SHORTEST|FEWEST)(?=_)/g, instead: "MIN_" },
  { pattern: /\bHttpAnswer\w*/g, instead: "HttpResponse" },
  { pattern: /\bAnswerFields\b/g, instead: "ResponseFields" },
  { pattern: wordOf("wayOut"), instead: "nextStep" },
  { pattern: wordOf("mend|mends|mended|mending"), instead: "fix" },
  { pattern: wordOf("saysNo"), instead: "isErrorEnvelope" },
  { pattern: wordOf("promisedIn"), instead: "requiredFields, requireFields" },
  { pattern: callOf("promised"), instead: "requireFields" },
  { pattern: /\bendOf\b/g, instead: "terminalErrorOf" },
  { pattern: callOf("refuse"), instead: "a name that says what comes back: reject, errorResponse" },
  { pattern: callOf("refusal"), instead: "statusFailure, errorResponse" },
  { pattern: callOf("unexpected"), instead: "unexpectedResponse" },
  { pattern: wordOf("disconnection"), instead: "connectionFailure" },
  { pattern: wordOf("lateness"), instead: "timeoutFailure" },
  {
    pattern: wordOf("told"),
    instead: 'called with, notified ("`onError` is called with each error"), or set',
    except: /\btold apart\b/gi,
  },
  {
    pattern: /(?<![\w$])tell(?:[A-Z]\w*)?\(|\{ (?:[\w ]+, )*tell\b|\b(?:const|let) tell\b/g,
    instead: "callHook, notify",
  },
  { pattern: /\bForms?\b|\bforms\b/g, instead: "subcommand", path: /^src\/cli\// },
];

const PLAIN_ENGLISH: readonly GoneWord[] = [
  {
    pattern: /\bwhoever\b/gi,
    instead: "the one who acts: the caller, the handler, the service",
  },
  { pattern: /\bwhat came\b/gi, instead: "what it is: the response, the body, the value" },
  { pattern: /(?<!\bsoon )\bas it is(?=[.,;:)]|$)/gi, instead: "unchanged" },
  { pattern: /\banew\b/gi, instead: "again" },
  { pattern: /\bturn(?:s|ed|ing)? away\b/gi, instead: "reject, rejected" },
  {
    pattern:
      /(?<!\bthere )(?<=[\w`)\]"'}] )(?:is|are) no\b(?! (?:longer|more|fewer|less|later|one)\b)/gi,
    instead: '"is not a", "are not"',
  },
  {
    pattern: wordOf("alone"),
    instead: "only",
    except: /\b(?:leave|leaves|left|leaving|let|lets|stand|stands)\b(?: [\w`.]+){0,3} alone\b/gi,
  },
  { pattern: /\bhangs? on\b(?= (?:the|its|a|an|this|what)\b)/gi, instead: "depends on" },
  { pattern: /\bwants? an? \w+/gi, instead: "requires, must be", path: /^src\/cli\// },
  {
    pattern: /\b(?:again|repeated|retried|resent|twice) by (?:itself|themselves)\b/gi,
    instead: "retried automatically",
  },
  {
    pattern: /\banswered (?:with )?(?:an? )?(?:HTTP )?(?:status )?(?:\d{3}\b|\$\{)/gi,
    instead: '"returned 503"',
  },
  {
    pattern: /\b(?:service|server|gateway)'s answers?\b|\bunreadable answers?\b/gi,
    instead: "response",
  },
  { pattern: /\bthe house\b/gi, instead: "source layout" },
  { pattern: /\bthe tests, tested\b/gi, instead: "mutation testing" },
  {
    pattern: /\bservice interface, sections?\b|\bsections? \d+(?:\.\d+)?/gi,
    instead: 'docs/service.md, "<Heading>"',
    except: /\bRFC \d+,? sections? [\d.]+/gi,
  },
];

/** The second dialect, and the grammar that made texts hard to read. */
const SECOND_DIALECT: readonly GoneWord[] = [
  { pattern: wordOf("speech|manner|manners"), instead: "serializer, format, write" },
  {
    pattern: wordOf("thing|things"),
    instead: "resource, or what it is",
    except: /\b(?:any|some|every|no)things?\b/gi,
  },
  {
    pattern: wordOf("say|says|said"),
    instead: "serializer, format, write, state",
    path: /^src\/(?:sandbox|learn|profile)\//,
  },
  { pattern: wordOf("facts?|madeUp"), instead: "known values, placeholder" },
  { pattern: /\bmade-up\b/gi, instead: "placeholder, invented value" },
  { pattern: /\bNOTHING\b/g, instead: "OMIT", except: /DO NOTHING/g },
  { pattern: wordOf("marks|evidence|claimed"), instead: "match fields, payment signals, matched" },
  { pattern: wordOf("kept"), instead: "stored, retained, remembered" },
  {
    pattern: wordOf("survey|surveys|shrink|shrinks|patience|judge|judges|judged|verdict|verdicts"),
    instead: "scan, compact, limit, classify, result",
  },
  {
    pattern: wordOf("refuse|refuses|refused|refusal|refusals|refusing"),
    instead: "reject, rejection",
    except: /connections? (?:is |was |were )?refused|refused connections?|ConnectionRefused/gi,
  },
  { pattern: wordOf("trouble|troubles|deaf"), instead: "failure case, never responds" },
  { pattern: wordOf("gatewayMeeting"), instead: "gatewayWith" },
  { pattern: wordOf("gives"), instead: "returns, passes" },
  { pattern: /\b(?:so many|so long|so often)\b(?! as\b)/gi, instead: "at most n, this long" },
  {
    pattern: wordOf("nobody|somebody"),
    instead: "the one who acts",
    except: /["`]nobody["`]/g, // the user of Unix
  },
  { pattern: /\bof (?:its|their|one's|his|our|your|my) own\b/gi, instead: "own, separate" },
  { pattern: /\bnow and then\b/gi, instead: "periodically" },
  {
    pattern:
      /\bwhere\b(?! (?:it|they|the \w+|a \w+|webhooks) (?:stands?|lies|lives|goes|is stored|are sent|points)\b)/gi,
    instead: "if, when, or in which",
    except:
      /\b(?:know|knows|say|says|see|from|to|tells?|shows?|of|is|and|or) where\b|\bWHERE\b|\bwhere:|\.where\b|\bwhere\(/g,
  },
];

export const GONE_WORDS: readonly GoneWord[] = [
  ...PAYMENT_WORDS,
  ...WEBHOOK_WORDS,
  ...SANDBOX_WORDS,
  ...CODE_WORDS,
  ...PLAIN_ENGLISH,
  ...SECOND_DIALECT,
];
