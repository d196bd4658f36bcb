// Next calls this once in every server process. From here on, the receiver processes events.
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { receiver } = await import("./webhooks.ts");
  await receiver.start();
}
