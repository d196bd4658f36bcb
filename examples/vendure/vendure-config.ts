import type { VendureConfig } from "@vendure/core";
import { PhonePaymentsPlugin } from "./plugin.ts";

const { PORT = 3000, DATABASE_URL, COOKIE_SECRET, ADMIN_PASSWORD = "superadmin" } = process.env;

export const config: VendureConfig = {
  apiOptions: { port: Number(PORT), adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: {
    tokenMethod: ["bearer", "cookie"],
    superadminCredentials: { identifier: "superadmin", password: ADMIN_PASSWORD },
    cookieOptions: { secret: COOKIE_SECRET },
  },
  dbConnectionOptions: {
    type: "postgres",
    url: DATABASE_URL,
    synchronize: process.env.NODE_ENV !== "production",
  },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [PhonePaymentsPlugin],
};
