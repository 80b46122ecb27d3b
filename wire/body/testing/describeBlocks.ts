import type { Block, Inline, TableCell } from '../tree.ts'

/**
 * A tree in the notation of `cases.ts`, which resembles HTML: `<em>`, `<strong>`, `<del>`, `<spoiler>`, `<code>`, `<math>`,
 * `<a=address>`, `<@who>`, `<:name:>`, `<br>`. Text is as it is shown.
 */
export function describeBlocks(blocks: readonly Block[]): string {
  return blocks.map(describeBlock).join('')
}

/** Text in the notation. */
export function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;')
}

/** An element of the notation. */
export function element(name: string, content: string, value = ''): string {
  return `<${name}${value === '' ? '' : `=${value}`}>${content}</${name}>`
}

function describeBlock(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return element('p', describeInlines(block.children))
    case 'heading':
      return element('p', element('strong', describeInlines(block.children)))
    case 'codeBlock':
      return element('pre', describeInlines(block.children), block.language)
    case 'formulaBlock':
      return element('math', escapeText(block.text))
    case 'quote':
      return element('quote', describeBlocks(block.children))
    case 'list':
      return element(
        block.isOrdered ? 'ol' : 'ul',
        block.items
          .map(({ number, task, children }) => {
            const content = describeItem(children)
            return task
              ? element('task', content, task.isDone ? 'x' : '')
              : element('li', content, number === null ? '' : String(number))
          })
          .join(''),
      )
    case 'table': {
      const row = (cells: readonly TableCell[], name: string) =>
        element(
          'tr',
          cells
            .map(({ children }, at) => element(name, describeInlines(children), block.alignments[at] ?? ''))
            .join(''),
        )
      return element('table', row(block.header, 'th') + block.rows.map((cells) => row(cells, 'td')).join(''))
    }
    case 'rule':
      return '<hr>'
  }
}

/** The first paragraph of an item has no element of its own. */
function describeItem(children: readonly Block[]): string {
  const [first, ...others] = children
  return first?.type === 'paragraph'
    ? describeInlines(first.children) + describeBlocks(others)
    : describeBlocks(children)
}

const NAMES = {
  strong: 'strong',
  emphasis: 'em',
  strikethrough: 'del',
  spoiler: 'spoiler',
  code: 'code',
} as const

function describeInlines(nodes: readonly Inline[]): string {
  return nodes.map(describeInline).join('')
}

function describeInline(node: Inline): string {
  switch (node.type) {
    case 'text':
      return escapeText(node.text)
    case 'lineBreak':
      return '<br>'
    case 'mention':
      return `<@${node.who}>`
    case 'emoji':
      return `<:${node.name}:>`
    case 'formula':
      return element('math', escapeText(node.text))
    case 'link':
      return element('a', describeInlines(node.children), node.href)
    default:
      return element(NAMES[node.type], describeInlines(node.children))
  }
}
