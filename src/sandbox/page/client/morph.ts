// Changes what is on the page into what it should be, and leaves alone what is the same: the focus,
// what is typed and the scroll position stay.

const isSameKind = (one: Node, other: Node) =>
  one.nodeName === other.nodeName && (one as Element).id === (other as Element).id;

/** Changes `from` into a copy of `to`. Elements with `data-local` belong to the script. */
export function morph(from: Node, to: Node): void {
  if (!(from instanceof Element && to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
  } else if (!from.hasAttribute("data-local")) {
    morphAttributes(from, to);
    morphChildren(from, to);
  }
}

function morphAttributes(from: Element, to: Element): void {
  // Which details are open is known only here.
  const isLocal = (name: string) => name === "open" && from instanceof HTMLDetailsElement;
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isLocal(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !isLocal(name)) from.setAttribute(name, value);
  }
}

function morphChildren(from: Element, to: Element): void {
  const left = new Set<ChildNode>(from.childNodes);
  const wanted = [...to.childNodes].map((node) => {
    const same = [...left].find((child) => isSameKind(child, node));
    if (same === undefined) return document.importNode(node, true);
    left.delete(same);
    morph(same, node);
    return same;
  });
  // What the new page no longer has goes first, so that what stays is not moved: moving an element
  // takes the focus from it.
  for (const node of left) node.remove();
  let next = from.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else from.insertBefore(node, next);
  }
}
