let shown: string | undefined;

/** Scrolls the row of phones to the one that was chosen. Later, the row stays where a person scrolled it. */
export function scrollToChosenPhone(): void {
  const tab = document.querySelector<HTMLElement>(".phones [aria-current]");
  const row = tab?.parentElement;
  if (!tab || !row || tab.id === shown) return;
  shown = tab.id;
  const middle = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  row.scrollLeft = middle;
}
