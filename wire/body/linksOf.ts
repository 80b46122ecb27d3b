import { nodesOf } from './nodesOf.ts'
import type { Block } from './tree.ts'

/**
 * The addresses that a message shows as links, in order: none in code and formulas, behind a backslash, of pictures, or hidden
 * by a spoiler.
 */
export function* linksOf(blocks: readonly Block[]): Generator<string> {
  for (const node of nodesOf(blocks, ({ type }) => type !== 'spoiler')) {
    if (node.type === 'link' && node.form !== 'image') yield node.href
  }
}
