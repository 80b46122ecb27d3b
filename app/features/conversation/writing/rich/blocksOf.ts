import type { Node } from 'prosemirror-model'
import { parseBody } from '../../../../../wire/body/parseBody.ts'
import type {
  Block,
  CodeContent,
  Heading,
  Inline,
  ListItem,
  Paragraph,
} from '../../../../../wire/body/tree.ts'
import { inlinesOf, linesOf, paragraphUnits } from './inlinesOf.ts'

/** The tree has no source of its own: ranges are of no use. */
const NOWHERE = { start: 0, end: 0 }

/**
 * The blocks of a document of the rich field, in the form in which they are parsed: without empty paragraphs and items, and
 * without blanks at the ends of lines.
 */
export function blocksOf(doc: Node): Block[] {
  return withAction(blocksIn(doc))
}

function blocksIn(parent: Node): Block[] {
  const blocks: Block[] = []
  for (const child of parent.children) for (const block of blocksOfNode(child)) addBlock(blocks, block)
  return blocks.map((block, at) =>
    block.type === 'heading' && !isHeading(block, blocks[at + 1]) ? asParagraph(block) : block,
  )
}

function blocksOfNode(node: Node): Block[] {
  switch (node.type.name) {
    case 'heading': {
      const children = inlinesOf(linesOf(node).flat())
      return children.length === 0
        ? []
        : [{ type: 'heading', level: node.attrs['level'], children, ...NOWHERE }]
    }
    case 'codeBlock':
      return [
        {
          type: 'codeBlock',
          language: '',
          info: node.attrs['info'],
          children: codeContentOf(node),
          ...NOWHERE,
        },
      ]
    case 'source':
      return parseBody(sourceOf(node))
    case 'quote': {
      const children = blocksIn(node)
      return children.length === 0 ? [] : [{ type: 'quote', children, ...NOWHERE }]
    }
    case 'bulletList':
    case 'orderedList': {
      const items = itemsOf(node)
      return items.length === 0
        ? []
        : [{ type: 'list', isOrdered: node.type.name === 'orderedList', items, ...NOWHERE }]
    }
    default:
      return paragraphsOf(node)
  }
}

/** Lists with the same markers beside each other are one list. */
function addBlock(blocks: Block[], block: Block): void {
  const last = blocks.at(-1)
  if (block.type === 'list' && last?.type === 'list' && kindOf(last.items) === kindOf(block.items))
    blocks[blocks.length - 1] = { ...last, items: [...last.items, ...block.items] }
  else blocks.push(block)
}

function kindOf([first]: readonly ListItem[]): string {
  return first!.marker.at(-1)!
}

function paragraphsOf(node: Node): Paragraph[] {
  return paragraphUnits(node).map((units) => ({
    type: 'paragraph',
    children: inlinesOf(units),
    start: 0,
    end: 0,
  }))
}

/** Items without content at the ends of a list are text for the parser. */
function itemsOf(list: Node): ListItem[] {
  const { kind, start } = list.attrs
  let number = (start ?? 1) - 1
  const items = list.children.map((item): ListItem => {
    const { number: own, isDone } = item.attrs
    number = own ?? number + 1
    const children = blocksIn(item)
    const isOrdered = list.type.name === 'orderedList'
    return {
      marker: isOrdered ? `${number}${kind}` : kind,
      number: isOrdered ? number : null,
      task: isDone === null || children.length === 0 ? null : { isDone, line: '' },
      children,
      ...NOWHERE,
    }
  })
  const first = items.findIndex(({ children }) => children.length > 0)
  const last = items.findLastIndex(({ children }) => children.length > 0)
  return first < 0 ? [] : items.slice(first, last + 1)
}

/** Whether the parser reads a heading: something is below it, and it is no "# of attendees". */
function isHeading({ level, children: [first] }: Heading, below: Block | undefined): boolean {
  const isNumberSign = level === 1 && first?.type === 'text' && /^of\s/i.test(first.text)
  return below !== undefined && !isNumberSign && !(below.type === 'heading' && below.level <= level)
}

function asParagraph({ level, children }: Heading): Paragraph {
  const sign: Inline = { type: 'text', text: `${'#'.repeat(level)} `, ...NOWHERE }
  return { type: 'paragraph', children: [sign, ...children], ...NOWHERE }
}

/** "/me " at the beginning is the author. */
function withAction(blocks: Block[]): Block[] {
  const [first, ...others] = blocks
  if (first?.type !== 'paragraph') return blocks
  const [text, ...inlines] = first.children
  if (text?.type !== 'text' || !/^\/me[ \t]+/.test(text.text)) return blocks
  if (text.text.slice(3).trim() === '' && (inlines.length === 0 || inlines[0]!.type === 'lineBreak'))
    return blocks
  const children: Inline[] = [
    { type: 'mention', who: 'me', ...NOWHERE },
    { ...text, text: text.text.slice(3) },
    ...inlines,
  ]
  return [{ ...first, children }, ...others]
}

function codeContentOf(node: Node): CodeContent {
  return node.children.map((child) =>
    child.isText
      ? { type: 'text', text: child.text!, ...NOWHERE }
      : { type: 'mention', who: child.attrs['who'], ...NOWHERE },
  )
}

/** The source of a block, with mentions as they are stored. */
function sourceOf(node: Node): string {
  return node.children.map((child) => child.text ?? mentionToken(child.attrs['who'])).join('')
}

function mentionToken(who: string): string {
  if (who === 'channel' || who === 'here') return `<!${who}>`
  return who.startsWith('#') ? `<${who}>` : `<@${who}>`
}
