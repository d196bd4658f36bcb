/** What one check of `malipo doctor` found. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly detail: string;
  /** The target of a redirect. */
  readonly location?: string;
  /** What to do about it. */
  readonly advice?: string;
}
