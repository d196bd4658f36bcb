/** Which changes no test can notice, or none needs to, and why. Every field that is there must fit. */
export interface Reason {
  /** How the path of the file ends. */
  readonly path?: string;
  readonly mutator?: string;
  readonly original?: RegExp;
  readonly replacement?: RegExp;
  readonly reason: string;
}

export const REASONS: readonly Reason[] = [];
