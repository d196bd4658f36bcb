import type { Dialect } from "./types.ts";

/**
 * What a network and a busy service do to the requests of a probe. `some`: 429, 502 and latency.
 * `eventual`: lists show what is new only some requests later, and unknown ids return 500.
 */
export type Faults = "none" | "some" | "eventual";

export const FAULTS: readonly Faults[] = ["none", "some", "eventual"];

type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** The service as it is with faults: it answers to unknown ids in another way. */
export const withFaults = (dialect: Dialect, faults: Faults): Dialect =>
  faults === "eventual"
    ? { ...dialect, rejections: { ...dialect.rejections, unknownId: 500 }, listLag: 3 }
    : dialect;

const LATENCY_MS = 3;
/** The first request that fails, and every how many fail from then on. */
const LIMITED = [20, 61] as const;
const BROKEN = [9, 37] as const;

const isDue = (n: number, [first, every]: readonly [number, number]) =>
  n >= first && (n - first) % every === 0;

/** Requests to a service with faults. */
export function faulty(fetch: Fetch, faults: Faults): Fetch {
  if (faults !== "some") return fetch;
  let n = 0;
  return async (input, init) => {
    n++;
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    if (isDue(n, LIMITED)) {
      return Response.json(
        { message: "Slow down." },
        { status: 429, headers: { "retry-after": "1" } },
      );
    }
    if (isDue(n, BROKEN)) {
      const headers = { "content-type": "text/html" };
      return new Response("<html>Bad Gateway</html>", { status: 502, headers });
    }
    return fetch(input, init);
  };
}
