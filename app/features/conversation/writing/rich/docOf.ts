import type { Mark, Node } from 'prosemirror-model'
import { MENTION_IN_CODE } from '../../../../../wire/body/mentionsOf.ts'
import { renderMarkdown } from '../../../../../wire/body/renderMarkdown.ts'
import type { Block, CodeContent, Inline, List, ListItem } from '../../../../../wire/body/tree.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

/** The document of the rich field for the blocks of a message. */
export function docOf(blocks: readonly Block[]): Node {
  return nodes.doc.create(null, blockNodes(blocks))
}

/** A line of text that is not parsed: a slash command. Mentions are pills. */
export function docOfLines(text: string): Node {
  const lines = text.split(/\r\n?|\n/)
  return nodes.doc.create(
    null,
    nodes.paragraph.create(null, withBreaks(lines.map((line) => sourceNodes(line)))),
  )
}

function blockNodes(blocks: readonly Block[]): Node[] {
  return blocks.length === 0 ? [nodes.paragraph.create()] : blocks.map(blockNode)
}

function blockNode(block: Block): Node {
  switch (block.type) {
    case 'paragraph':
      return nodes.paragraph.create(null, inlineNodes(block.children, []))
    case 'heading':
      return nodes.heading.create({ level: block.level }, inlineNodes(block.children, []))
    case 'codeBlock':
      return nodes.codeBlock.create({ info: block.info }, codeNodes(block.children, []))
    case 'quote':
      return nodes.quote.create(null, blockNodes(block.children))
    case 'list':
      return listNode(block)
    case 'formulaBlock':
    case 'table':
    case 'rule':
      return nodes.source.create(null, sourceNodes(renderMarkdown([block])))
  }
}

function listNode({ isOrdered, items }: List): Node {
  const [first] = items
  const kind = first?.marker.at(-1)
  if (!isOrdered)
    return nodes.bulletList.create(
      { kind },
      items.map((item) => itemNode(item, null)),
    )
  const start = first?.number ?? 1
  const numbered = items.map((item, at) => {
    const expected = at === 0 ? start : (items[at - 1]!.number ?? 0) + 1
    return itemNode(item, item.number === expected ? null : item.number)
  })
  return nodes.orderedList.create({ kind, start }, numbered)
}

function itemNode({ task, children }: ListItem, number: number | null): Node {
  return nodes.item.create({ number, isDone: task?.isDone ?? null }, blockNodes(children))
}

function textNodes(text: string, active: readonly Mark[]): Node[] {
  return text === '' ? [] : [schema.text(text, active)]
}

function inlineNodes(children: readonly Inline[], active: readonly Mark[]): Node[] {
  return children.flatMap((node) => inlineNode(node, active))
}

function inlineNode(node: Inline, active: readonly Mark[]): Node[] {
  switch (node.type) {
    case 'text':
      return textNodes(node.text, active)
    case 'lineBreak':
      return [nodes.lineBreak.create(null, null, active)]
    case 'mention':
      // Text before a space: an action can be edited like its other words.
      return node.who === 'me'
        ? textNodes('/me', active)
        : [nodes.mention.create({ who: node.who }, null, active)]
    case 'emoji':
      return [nodes.emoji.create({ name: node.name }, null, active)]
    case 'formula': {
      const sign = node.isDisplay ? '$$' : '$'
      const lines = (sign + node.text + sign).split('\n')
      return withBreaks(lines.map((line) => textNodes(line, active)))
    }
    case 'code':
      return codeNodes(node.children, marks.code.create().addToSet(active))
    case 'link': {
      if (node.form === 'bare') return inlineNodes(node.children, active)
      const link = marks.link.create({ href: node.href, form: node.form })
      return inlineNodes(node.children, link.addToSet(active))
    }
    default:
      return inlineNodes(node.children, marks[node.type].create().addToSet(active))
  }
}

function withBreaks(lines: readonly Node[][]): Node[] {
  return lines.flatMap((line, at) => (at === 0 ? line : [nodes.lineBreak.create(), ...line]))
}

function codeNodes(children: CodeContent, active: readonly Mark[]): Node[] {
  return children.flatMap((one) =>
    one.type === 'text'
      ? textNodes(one.text, active)
      : [nodes.mention.create({ who: one.who }, null, active)],
  )
}

/** The source of a text, with pills for its mentions. */
function sourceNodes(source: string): Node[] {
  const found: Node[] = []
  let from = 0
  for (const { index, 0: whole, 1: slashes = '', 3: person, 4: channel, 5: mass } of source.matchAll(
    MENTION_IN_CODE,
  )) {
    if (slashes.length % 2 === 1) continue
    const start = index + slashes.length
    found.push(
      ...textNodes(source.slice(from, start), []),
      nodes.mention.create({ who: person ?? channel ?? mass }),
    )
    from = index + whole.length
  }
  return [...found, ...textNodes(source.slice(from), [])]
}
