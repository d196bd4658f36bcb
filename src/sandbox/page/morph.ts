/** Turns what is on the page into what it should be, and leaves alone what is the same. */
export const MORPH: string = `
const keyOf = (node) => (node.nodeType === 1 ? node.id : "");
const alike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

function morph(from, to) {
  if (from.nodeType !== 1) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  attributes(from, to);
  const later = new Map();
  for (const child of to.children) if (child.id) later.set(child.id, child);
  let next = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    // What the new page no longer has goes, so that what stays need not be moved: moving takes the focus.
    while (next && keyOf(next) && !later.has(keyOf(next))) next = dropped(next);
    if (next && alike(next, wanted)) {
      morph(next, wanted);
      next = next.nextSibling;
      continue;
    }
    const found = keyOf(wanted) && [...from.children].find((child) => child.id === wanted.id && child.nodeName === wanted.nodeName);
    if (found) {
      from.insertBefore(found, next);
      morph(found, wanted);
    } else {
      from.insertBefore(document.importNode(wanted, true), next);
      // Text and elements without a name stand in no order of their own: one takes the other's place.
      if (next && !keyOf(next) && !keyOf(wanted)) next = dropped(next);
    }
  }
  while (next) next = dropped(next);
}

function dropped(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

// What the person at the page has set: which folds are open, and the script's own marks.
const theirs = (element, name) => (name === "open" && element.nodeName === "DETAILS") || name === "data-busy" || (name === "hidden" && element.id === "live-state");

function attributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !theirs(from, name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (!theirs(from, name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}
`;
