const UPDATE_MS = 250;
/** Below this, a countdown is shown in another colour. */
const LATE_MS = 10_000;

/** When the page that is shown came from the server. Its times are counted on from here. */
let receivedAt = performance.now();

/** Starts counting again from the times of a page that has just come. */
export function restartCountdowns(): void {
  receivedAt = performance.now();
  updateTimes();
}

/** Counts prompts down, and the clock up, if the sandbox runs in real time. */
export function startCountdowns(): void {
  setInterval(updateTimes, UPDATE_MS);
}

function updateTimes(): void {
  const passedMs = performance.now() - receivedAt;
  for (const countdown of document.querySelectorAll<HTMLElement>("[data-left]")) {
    updateCountdown(countdown, passedMs);
  }
  const now = document.querySelector<HTMLElement>("[data-now]")?.dataset.now;
  if (now !== undefined) updateClocks(Number(now) + passedMs);
}

function updateCountdown(countdown: HTMLElement, passedMs: number): void {
  const leftMs = Math.max(0, Number(countdown.dataset.left) - passedMs);
  const percent = Math.round((leftMs / Number(countdown.dataset.life)) * 100);
  countdown.querySelector(".left")?.setAttribute("stroke-dasharray", `${percent} 100`);
  const seconds = countdown.querySelector("[data-seconds]");
  if (seconds !== null) seconds.textContent = `${Math.ceil(leftMs / 1000)} s`;
  countdown.classList.toggle("late", leftMs < LATE_MS);
}

function updateClocks(nowMs: number): void {
  const time = new Date(nowMs).toLocaleTimeString("en-GB", { timeZone: "Africa/Nairobi" });
  for (const clock of document.querySelectorAll<HTMLElement>("[data-clock]")) {
    clock.textContent = clock.dataset.clock === "long" ? time : time.slice(0, 5);
  }
}
