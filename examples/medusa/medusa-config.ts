import { defineConfig } from "@medusajs/framework/utils";

const {
  DATABASE_URL,
  REDIS_URL,
  JWT_SECRET,
  COOKIE_SECRET,
  STORE_URL = "http://localhost:8000",
} = process.env;

export default defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: STORE_URL,
      adminCors: "http://localhost:9000",
      authCors: `${STORE_URL},http://localhost:9000`,
      jwtSecret: JWT_SECRET,
      cookieSecret: COOKIE_SECRET,
    },
  },
  admin: { disable: true },
  modules: [
    {
      resolve: "@medusajs/medusa/payment",
      options: { providers: [{ resolve: "./src/modules/malipo" }] },
    },
    {
      // Several processes share its locks. Those in PostgreSQL let two complete a cart at once.
      resolve: "@medusajs/medusa/locking",
      options: {
        providers: [
          {
            resolve: "@medusajs/medusa/locking-redis",
            id: "redis",
            is_default: true,
            options: { redisUrl: REDIS_URL },
          },
        ],
      },
    },
  ],
});
