// Next calls this once in every server process: here the receiver begins to work off.
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { receiver } = await import("./webhooks.ts");
  await receiver.start();
}
