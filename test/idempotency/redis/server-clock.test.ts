import { Redis } from "ioredis";
import { afterAll } from "vitest";
import { redisIdempotency } from "../../../src/idempotency/redis/store.ts";
import { keepsTimeByServerClock } from "../../suites/idempotency-server-clock.ts";
import { startWithClock } from "../../support/engines/clock.ts";
import { hasRedisServer, redisRecipe } from "../../support/engines/redis.ts";

const isThere = hasRedisServer("a Redis with a clock");
const engine = await startWithClock(isThere ? redisRecipe() : undefined);
const redis = engine && new Redis(engine.url);
afterAll(async () => {
  redis?.disconnect();
  await engine?.stop();
});

keepsTimeByServerClock("redisIdempotency", engine, async (options) =>
  redisIdempotency(redis as Redis, options),
);
