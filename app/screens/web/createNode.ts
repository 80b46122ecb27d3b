export type Content = Node | string | null | readonly Content[]

/** An element with these attributes (null or undefined: without it) and children; strings are text, never markup. */
export function createNode(
  tag: string,
  attributes: Record<string, string | null | undefined>,
  ...children: Content[]
): HTMLElement {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'string') node.setAttribute(name, value)
  append(node, children)
  return node
}

function append(node: HTMLElement, children: readonly Content[]): void {
  for (const child of children) {
    if (child instanceof Node || typeof child === 'string') node.append(child)
    else if (child) append(node, child)
  }
}
