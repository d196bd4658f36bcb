// No cache and no other site's frame may hold a page of a customer.
const headers = [
  { key: "cache-control", value: "no-store" },
  { key: "content-security-policy", value: "frame-ancestors 'none'" },
];

const config = { headers: async () => [{ source: "/:path*", headers }] };
export default config;
