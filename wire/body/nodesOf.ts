import type { Block, Inline } from './tree.ts'

/** All nodes of blocks in the order of the source, each before its children. `isEntered`: whose children are nodes, too. */
export function* nodesOf(
  nodes: readonly (Block | Inline)[],
  isEntered: (node: Block | Inline) => boolean = () => true,
): Generator<Block | Inline> {
  for (const node of nodes) {
    yield node
    if (!isEntered(node)) continue
    if (node.type === 'list') for (const { children } of node.items) yield* nodesOf(children, isEntered)
    else if (node.type === 'table')
      for (const { children } of [node.header, ...node.rows].flat()) yield* nodesOf(children, isEntered)
    else if ('children' in node) yield* nodesOf(node.children, isEntered)
  }
}
