import { ENDPOINTS, type Endpoint, type Scope } from "../../contract/endpoints.ts";
import { KEY_PREFIXES, type KeyKind } from "../../contract/keys.ts";
import { nextName, type RandomState } from "./random.ts";

/** The scopes that a kind of key may hold: those of the rows that accept it. */
export function allowedScopes(kind: KeyKind): Scope[] {
  const rows: Endpoint[] = Object.values(ENDPOINTS);
  const scopes = rows.filter(({ keys }) => keys.includes(kind)).map(({ scope }) => scope);
  return [...new Set(scopes)].filter((scope) => scope !== undefined);
}

export const newKey = (random: RandomState, kind: KeyKind): string =>
  `${KEY_PREFIXES[kind]}sandbox_${nextName(random, "token", 24)}`;
