// Changes what is on the page into what it should be, and leaves alone what is the same: the focus,
// what is typed and the scroll position stay.

const idOf = (node: Node) => (node instanceof Element ? node.id : "");

const isSameKind = (one: Node, other: Node) =>
  one.nodeType === other.nodeType && one.nodeName === other.nodeName && idOf(one) === idOf(other);

/** Changes `from` into a copy of `to`. */
export function morph(from: Node, to: Node): void {
  if (!(from instanceof Element && to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  morphAttributes(from, to);
  // The script put the text there, and takes it away.
  if (!from.hasAttribute("data-error")) morphChildren(from, to);
}

function morphChildren(from: Element, to: Element): void {
  const wantedIds = new Set([...to.children].map(({ id }) => id));
  let next = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    // What the new page no longer has goes first, so that what stays is not moved: moving an element
    // takes the focus from it.
    while (next !== null && idOf(next) !== "" && !wantedIds.has(idOf(next))) next = remove(next);
    if (next !== null && isSameKind(next, wanted)) {
      morph(next, wanted);
      next = next.nextSibling;
      continue;
    }
    const moved = childWithId(from, wanted);
    if (moved !== undefined) {
      from.insertBefore(moved, next);
      morph(moved, wanted);
      continue;
    }
    from.insertBefore(document.importNode(wanted, true), next);
    // Nodes without an id replace each other.
    if (next !== null && idOf(next) === "" && idOf(wanted) === "") next = remove(next);
  }
  while (next !== null) next = remove(next);
}

function childWithId(parent: Element, wanted: Node): Element | undefined {
  const id = idOf(wanted);
  if (id === "") return undefined;
  return [...parent.children].find(
    (child) => child.id === id && child.nodeName === wanted.nodeName,
  );
}

/** Removes a node, and returns the one after it. */
function remove(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** State that the server does not know: which details are open, and what the script has set. */
const isLocalState = (element: Element, name: string) =>
  (name === "open" && element.nodeName === "DETAILS") ||
  name === "data-busy" ||
  name === "aria-invalid" ||
  (name === "hidden" && element.id === "live-state");

function morphAttributes(from: Element, to: Element): void {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isLocalState(from, name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (!isLocalState(from, name) && from.getAttribute(name) !== value) {
      from.setAttribute(name, value);
    }
  }
}
