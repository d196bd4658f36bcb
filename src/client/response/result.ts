import { requestIdOf } from "../../errors/request-id.ts";

/** What `.withResponse()` resolves with. */
export interface WithResponse<T> {
  /** What the method itself resolves with. */
  readonly data: T;
  /** The HTTP response. Its body has been read. */
  readonly response: Response;
  /** The whole parsed JSON body; `undefined` if the body was empty. */
  readonly body: unknown;
  /**
   * The id that the service gave to the request, if the response has one of the usual headers, such
   * as `X-Request-Id`. Give it to the service's support.
   */
  readonly requestId: string | undefined;
}

/** The result of a call, before the id of its request is read. */
export type Unwrapped<T> = Omit<WithResponse<T>, "requestId">;

/** A promise of the unwrapped `data`. */
export interface Result<T> extends Promise<T> {
  /**
   * Resolves with the HTTP response and the whole body too. Call it to read a response header, or a
   * field of the envelope beside `data`.
   *
   * @example
   * ```ts
   * const { data, response } = await gateway.payments.get(reference).withResponse();
   * console.log(response.status, data.status);
   * ```
   */
  withResponse(): Promise<WithResponse<T>>;
}

// With `await`, and not with `then`, which Bun's stacks do not follow.
async function dataOf<T>(call: Promise<Unwrapped<T>>): Promise<T> {
  return (await call).data;
}

export function resultOf<T>(call: Promise<Unwrapped<T>>): Result<T> {
  const result = dataOf(call);
  return Object.assign(result, {
    withResponse: async () => {
      // Through `result`: the caller now has only this promise, so a failure must be reported by this
      // one only. And a stack leads to the caller only if each promise has one that waits for it.
      await result;
      const { data, response, body } = await call;
      return { data, response, body, requestId: requestIdOf(response.headers) };
    },
  });
}
