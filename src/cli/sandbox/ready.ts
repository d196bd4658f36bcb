/** A sandbox that is ready: what the banner, `--json` and the ready file tell. */
export interface Ready {
  readonly url: string;
  readonly base_url: string;
  readonly page: string;
  readonly keys: { readonly public: string; readonly secret: string; readonly sandbox: string };
  readonly webhook_secret: string;
  readonly clock: "virtual" | "real";
  readonly auto: "approve" | "none" | "magic";
  readonly webhook: string | null;
  readonly state: string | null;
  /** The file of the profile that it responds by. */
  readonly profile: string | null;
  readonly restored: boolean;
  /** Keys, secret and references are new: no earlier run had them. */
  readonly is_new: boolean;
  readonly pid: number;
}
