// Next calls this once in every server process. From here on, events are processed. At SIGTERM Next
// ends the process itself; an event in the middle is processed again at the next start.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { currentShop } = await import("./current-shop.ts");
  await currentShop().checkout.start();
}
