/** What `malipo doctor` found about one thing. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}
