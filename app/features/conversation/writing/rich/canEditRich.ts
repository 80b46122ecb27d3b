import { parseBody } from '../../../../../wire/body/parseBody.ts'
import { renderTyped } from '../../../../../wire/body/renderMarkdown.ts'
import type { Block, Inline, TableCell } from '../../../../../wire/body/tree.ts'
import { blocksOf } from './blocksOf.ts'
import { docOf } from './docOf.ts'

/** Whether a text means the same after the rich field has read and written it. Else it is edited as source. */
export function canEditRich(body: string): boolean {
  const blocks = parseBody(body)
  return meaningOf(parseBody(renderTyped(blocksOf(docOf(blocks))))) === meaningOf(blocks)
}

/** What blocks mean, without their ranges: equal texts for equal messages. */
function meaningOf(blocks: readonly Block[]): string {
  return JSON.stringify(blocks.map(blockMeaning))
}

function blockMeaning(block: Block): unknown {
  switch (block.type) {
    case 'paragraph':
      return [block.type, inlineMeaning(block.children)]
    case 'heading':
      return [block.type, block.level, inlineMeaning(block.children)]
    case 'codeBlock':
      return [block.type, block.info, inlineMeaning(block.children)]
    case 'formulaBlock':
      return [block.type, block.text]
    case 'quote':
      return [block.type, block.children.map(blockMeaning)]
    case 'list':
      return [
        block.type,
        // The line of a task is what its ticks are for.
        block.items.map(({ marker, number, task, children }) => [
          number === null ? '' : marker,
          task,
          children.map(blockMeaning),
        ]),
      ]
    case 'table': {
      const row = (cells: readonly TableCell[]) => cells.map(({ children }) => inlineMeaning(children))
      return [block.type, block.alignments, row(block.header), block.rows.map(row)]
    }
    case 'rule':
      return [block.type]
  }
}

/** What has the same marks, whatever their order. */
interface Piece {
  marks: string
  content: string
}

function inlineMeaning(children: readonly Inline[]): Piece[] {
  const pieces: Piece[] = []
  addPieces(children, [], pieces)
  return pieces
}

function addPieces(children: readonly Inline[], marks: readonly string[], pieces: Piece[]): void {
  const add = (content: string) => {
    const last = pieces.at(-1)
    const names = [...new Set(marks)].toSorted().join(' ')
    if (last?.marks === names) last.content += content
    else pieces.push({ marks: names, content })
  }
  for (const node of children) {
    switch (node.type) {
      case 'text':
        add(node.text)
        break
      case 'lineBreak':
        add('\n')
        break
      case 'mention':
        add(`\0${node.who}\0`)
        break
      case 'emoji':
        add(`\0:${node.name}\0`)
        break
      case 'formula':
        add(`\0${node.isDisplay ? '$$' : '$'}${node.text}\0`)
        break
      case 'link':
        addPieces(node.children, [...marks, `${node.form}:${node.href}`], pieces)
        break
      default:
        addPieces(node.children, [...marks, node.type], pieces)
    }
  }
}
