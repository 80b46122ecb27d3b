import { codeText, type Block, type Inline, type Mention } from './tree.ts'

/** What a reader shows for parts of a message that have no text of their own. */
export interface PlainTextContext {
  /** The text of what a spoiler hides. */
  spoiler: string
  /** The name of a mentioned person or channel; null if it is not known. */
  nameOf: (id: string) => string | null
  /** The emoji of a name; null if there is none. */
  emojiOf?: (name: string) => string | null
}

/**
 * Returns a message as one line of text, for announcements, excerpts and notifications. The line has no marks and no hidden text
 * of spoilers. `source` is the body from which the blocks were parsed.
 */
export function plainText(source: string, blocks: readonly Block[], context: PlainTextContext): string {
  return blocksText(blocks).replaceAll(/\s+/g, ' ').trim()

  function blocksText(all: readonly Block[]): string {
    return all.map((block) => `${blockText(block)} `).join('')
  }

  function blockText(block: Block): string {
    switch (block.type) {
      case 'paragraph':
      case 'heading':
        return inlinesText(block.children)
      case 'codeBlock':
        return inlinesText(block.children)
      case 'formulaBlock':
        return block.text
      case 'quote':
        return blocksText(block.children)
      case 'list':
        // The number is part of the text: "4. July" is not "July".
        return block.items
          .map(({ number, marker, children }) => (number === null ? '' : `${marker} `) + blocksText(children))
          .join('')
      case 'table':
        return [block.header, ...block.rows]
          .flat()
          .map(({ children }) => `${inlinesText(children)} `)
          .join('')
      case 'rule':
        return ''
    }
  }

  function inlinesText(all: readonly Inline[]): string {
    return all.map(inlineText).join('')
  }

  function inlineText(node: Inline): string {
    switch (node.type) {
      case 'text':
      case 'formula':
        return node.text
      case 'lineBreak':
        return ' '
      case 'mention':
        return mentionText(node)
      case 'emoji':
        return context.emojiOf?.(node.name) ?? source.slice(node.start, node.end)
      case 'spoiler':
        return context.spoiler
      default:
        return inlinesText(node.children)
    }
  }

  function mentionText({ who, start, end }: Mention): string {
    if (who === 'me') return ''
    if (who === 'channel' || who === 'here') return `@${who}`
    const isChannel = who.startsWith('#')
    const name = context.nameOf(isChannel ? who.slice(1) : who)
    return name === null ? source.slice(start, end) : `${isChannel ? '#' : '@'}${name}`
  }
}

/** The text of inline nodes as it is shown, with mentions and names of emoji as they are stored. */
export function shownText(source: string, nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === 'text' || node.type === 'formula') return node.text
      if (node.type === 'code') return codeText(source, node.children)
      return 'children' in node ? shownText(source, node.children) : source.slice(node.start, node.end)
    })
    .join('')
}
