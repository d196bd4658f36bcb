/** Thrown to reject a command or a query of the control API. */
export class ControlError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, error: string, headers: Readonly<Record<string, string>> = {}) {
    super(error);
    this.status = status;
    this.headers = headers;
  }
}
