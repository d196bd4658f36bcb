/** Thrown to reject a request: with a status, and an `error` that says what is wrong with it. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, error: string, headers: Readonly<Record<string, string>> = {}) {
    super(error);
    this.status = status;
    this.headers = headers;
  }
}

/** A 422 that names the field. */
export const invalidField = (field: string, message: string): ErrorResponse =>
  new ErrorResponse(422, `${field}: ${message}`);
