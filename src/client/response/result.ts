/** What `.withResponse()` gives. */
export interface WithResponse<T> {
  /** What the method gives by itself. */
  readonly data: T;
  /** The HTTP response, its body read. */
  readonly response: Response;
  /** The whole parsed JSON; `undefined` where the body was empty. */
  readonly body: unknown;
}

/** A promise of the unwrapped `data`; `.withResponse()` gives the HTTP response too. */
export interface Result<T> extends Promise<T> {
  /**
   * @example
   * ```ts
   * const { data, response } = await gateway.payments.get(reference).withResponse();
   * console.log(response.headers.get("x-request-id"), data.status);
   * ```
   */
  withResponse(): Promise<WithResponse<T>>;
}

export function resultOf<T>(answered: Promise<WithResponse<T>>): Result<T> {
  const result = answered.then(({ data }) => data);
  return Object.assign(result, {
    withResponse: () => {
      // Only one of the two promises is the caller's now: a failure is reported once, and by that one.
      result.catch(() => {});
      return answered.then((whole) => whole);
    },
  });
}
