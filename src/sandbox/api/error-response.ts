/** Thrown where the sandbox turns a request away: a status, and an `error` that a person can act on. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, error: string, headers: Readonly<Record<string, string>> = {}) {
    super(error);
    this.status = status;
    this.headers = headers;
  }
}

/** 422, naming the field. */
export const invalidField = (field: string, message: string): ErrorResponse =>
  new ErrorResponse(422, `${field}: ${message}`);
