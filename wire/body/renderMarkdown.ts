import { addEscapes, join, marks, slice, type Draft } from './escapes.ts'
import { escapeMentions } from './escapeMentions.ts'
import type { Alignment, Block, CodeContent, Inline, List, ListItem, Mention, Table } from './tree.ts'

const EMPTY: Draft = { markdown: '', kinds: '' }

/**
 * The normal form of the blocks of a message: one way to write each mark, and only the backslashes that are necessary.
 * `parseBody` reads the same blocks from it.
 */
export function renderMarkdown(blocks: readonly Block[]): string {
  return addEscapes(join(blocksLines(blocks), '\n'))
}

/**
 * The Markdown of blocks whose text a person has typed: addresses, formulas, tables and rules in it are no text. They get no
 * backslashes.
 */
export function renderTyped(blocks: readonly Block[]): string {
  return addEscapes(join(blocksLines(blocks), '\n'), true)
}

/** The Markdown of blocks without backslashes, for a text that is not parsed: a slash command. */
export function renderUnescaped(blocks: readonly Block[]): string {
  return join(blocksLines(blocks), '\n').markdown
}

function splitLines(draft: Draft): Draft[] {
  let from = 0
  return draft.markdown.split('\n').map((line) => {
    const part = slice(draft, from, from + line.length)
    from += line.length + 1
    return part
  })
}

// Blocks -----------------------------------------------------------------------------------------------

function blocksLines(blocks: readonly Block[], isItem = false): Draft[] {
  return blocks.flatMap((block, at) => {
    const isBelow = isItem && block.type === 'list' && blocks[at - 1]?.type === 'paragraph'
    const lines = blockLines(block, isItem)
    return at === 0 || isBelow ? lines : [EMPTY, ...lines]
  })
}

function blockLines(block: Block, isItem: boolean): Draft[] {
  switch (block.type) {
    case 'paragraph':
      return splitLines(inlinesDraft(block.children))
    case 'heading':
      return [join([marks(`${'#'.repeat(block.level)} `), inlinesDraft(block.children)], '')]
    case 'codeBlock': {
      const code = codeMarkdown(block.children)
      const fence = '`'.repeat(Math.max(2, longestRun(code)) + 1)
      return [fence + block.info, ...code.split('\n'), fence].map(marks)
    }
    case 'formulaBlock':
      return `$$${escapeMentions(block.text)}$$`.split('\n').map(marks)
    case 'quote':
      return blocksLines(block.children).map((line) =>
        join([marks(line.markdown === '' ? '>' : '> '), line], ''),
      )
    case 'list':
      return listLines(block)
    case 'table':
      return tableLines(block)
    case 'rule':
      // Underscores, since "- ---" would be one line.
      return [marks(isItem ? '___' : '---')]
  }
}

function listLines({ items }: List): Draft[] {
  const drafts = items.map(itemLines)
  return drafts.flat()
}

function itemLines({ marker: written, task, children }: ListItem): Draft[] {
  const box = task ? `[${task.isDone ? 'x' : ' '}] ` : ''
  const [first = EMPTY, ...others] = blocksLines(children, true)
  // "* **" would be a line.
  const marker = isRepeated(first.markdown, written) ? (written === '*' ? '-' : '*') : written
  const indentation = ' '.repeat(marker.length + 1)
  return [
    first.markdown === '' ? marks(marker) : join([marks(`${marker} ${box}`), first], ''),
    ...others.map((line) => (line.markdown === '' ? line : join([marks(indentation), line], ''))),
  ]
}

/** Whether a line has no other signs than the marker of a bulleted list. */
function isRepeated(line: string, marker: string): boolean {
  return /^[*-]$/.test(marker) && line !== '' && line.replaceAll(marker, '').trim() === ''
}

const DELIMITERS = { start: ':-', center: ':-:', end: '-:', none: '-' }

function tableLines({ header, alignments, rows }: Table): Draft[] {
  const row = (cells: Table['header']): Draft =>
    join(
      [
        marks('| '),
        join(
          cells.map(({ children }) => cellDraft(children)),
          ' | ',
        ),
        marks(' |'),
      ],
      '',
    )
  const delimiter = (alignment: Alignment) => DELIMITERS[alignment ?? 'none']
  return [row(header), marks(`|${alignments.map(delimiter).join('|')}|`), ...rows.map(row)]
}

/** In a cell, each "|" has a backslash. */
function cellDraft(children: readonly Inline[]): Draft {
  const draft = inlinesDraft(children)
  const parts = draft.markdown.split('|')
  let from = 0
  return join(
    parts.map((part) => {
      const found = slice(draft, from, from + part.length)
      from += part.length + 1
      return found
    }),
    '\\|',
  )
}

// Inlines ----------------------------------------------------------------------------------------------

const SIGNS = { strong: '**', strikethrough: '~~', spoiler: '||' } as const

function inlinesDraft(nodes: readonly Inline[], isInStrong = false): Draft {
  return join(
    nodes.map((node, at) => inlineDraft(node, isInStrong, nodes[at - 1], nodes[at + 1])),
    '',
  )
}

function inlineDraft(node: Inline, isInStrong: boolean, before?: Inline, after?: Inline): Draft {
  switch (node.type) {
    case 'text':
      return { markdown: node.text, kinds: 't'.repeat(node.text.length) }
    case 'lineBreak':
      return marks('\n')
    case 'mention':
      return marks(mentionMarkdown(node))
    case 'emoji':
      return marks(`:${node.name}:`)
    case 'formula': {
      const sign = node.isDisplay ? '$$' : '$'
      return marks(sign + escapeMentions(node.text) + sign)
    }
    case 'code':
      return marks(codeSpan(codeMarkdown(node.children)))
    case 'link': {
      const text = inlinesDraft(node.children)
      if (node.form === 'bare') return marks(text.markdown)
      if (node.form === 'angle') return marks(`<${text.markdown}>`)
      return join([marks(node.form === 'image' ? '![' : '['), text, marks(`](${targetOf(node.href)})`)], '')
    }
    case 'emphasis': {
      const [first, ...others] = node.children
      if (first?.type === 'strong' && others.length === 0)
        return join([marks('***'), inlinesDraft(first.children, true), marks('***')], '')
      const content = inlinesDraft(node.children)
      // Two equal signs beside each other would be one mark.
      const isBeside =
        isInStrong ||
        [before, after].some((one) => one?.type === 'strong' || one?.type === 'emphasis') ||
        /^\*|\*$/.test(content.markdown)
      const sign = marks(isBeside && !/^_|_$/.test(content.markdown) ? '_' : '*')
      return join([sign, content, sign], '')
    }
    default: {
      const sign = marks(SIGNS[node.type])
      return join([sign, inlinesDraft(node.children, node.type === 'strong'), sign], '')
    }
  }
}

function mentionMarkdown({ who }: Mention): string {
  if (who === 'me') return '/me'
  if (who === 'channel' || who === 'here') return `<!${who}>`
  return who.startsWith('#') ? `<${who}>` : `<@${who}>`
}

function codeMarkdown(children: CodeContent): string {
  return children
    .map((one, at) => {
      if (one.type === 'mention') return mentionMarkdown(one)
      const text = escapeMentions(one.text)
      // Backslashes before a mention are pairs.
      return children[at + 1]?.type === 'mention' ? text.replace(/\\+$/, '$&$&') : text
    })
    .join('')
}

function codeSpan(code: string): string {
  const runs = new Set([...code.matchAll(/`+/g)].map(([run]) => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const fence = '`'.repeat(length)
  const space = /^`|`$|^ .*[^ ].* $/.test(code) ? ' ' : ''
  return fence + space + code + space + fence
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

/** Parentheses without a partner would end the link. */
function targetOf(href: string): string {
  let depth = 0
  const isBalanced =
    [...href].every((sign) => {
      depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
      return depth >= 0 && depth <= 8
    }) && depth === 0
  return isBalanced ? href : href.replaceAll('(', '%28').replaceAll(')', '%29')
}
