import { parseBody } from './parseBody.ts'
import type { Block, Inline, List, Table, TableCell } from './tree.ts'

/** What a text is rendered as: a string of HTML, or nodes of a page. */
export interface BodyOutput<T> {
  element(tag: string, attributes: Record<string, string>, ...children: readonly T[]): T
  text(text: string): T
  mention(who: string): T
  emoji(name: string): T
  /** The label of a closed spoiler. */
  spoiler: string
  /** The attributes of links besides their address. */
  link: Record<string, string>
}

/** The text of a message as elements without pictures and styles. Links lead to the web or to a mailbox only. */
export function renderBody<T>(
  body: string,
  { element, text, mention, emoji, spoiler, link }: BodyOutput<T>,
): T[] {
  const blocks = (all: readonly Block[]): T[] => all.map(block)
  const inlines = (nodes: readonly Inline[]): T[] => nodes.map(inline)

  function block(node: Block): T {
    switch (node.type) {
      case 'paragraph':
        return element('p', { dir: 'auto' }, ...inlines(node.children))
      case 'heading':
        return element('p', { dir: 'auto' }, element('strong', {}, ...inlines(node.children)))
      case 'codeBlock':
        return element('pre', { dir: 'ltr', tabindex: '0' }, element('code', {}, ...inlines(node.children)))
      case 'formulaBlock':
        return element('code', {}, text(`$$${node.text}$$`))
      case 'quote':
        return element('blockquote', {}, ...blocks(node.children))
      case 'list':
        return list(node)
      case 'table':
        return table(node)
      case 'rule':
        return element('hr', {})
    }
  }

  function list({ isOrdered, items }: List): T {
    const children = items.map(({ marker, number, task, children: content }) => {
      const [first, ...others] = content
      return element(
        'li',
        {
          dir: 'auto',
          ...(number === null ? {} : { value: String(number) }),
          ...(marker.endsWith(')') ? { class: 'parenthesis' } : {}),
        },
        ...(task ? [text(task.isDone ? '☑ ' : '☐ ')] : []),
        ...(first?.type === 'paragraph' ? [...inlines(first.children), ...blocks(others)] : blocks(content)),
      )
    })
    return element(isOrdered ? 'ol' : 'ul', {}, ...children)
  }

  function table({ alignments, header, rows }: Table): T {
    const row = (tag: string, cells: readonly TableCell[]): T =>
      element(
        'tr',
        {},
        ...cells.map(({ children }, at) => {
          const alignment = alignments[at]
          return element(tag, alignment ? { class: alignment } : {}, ...inlines(children))
        }),
      )
    const content = rows.map((cells) => row('td', cells))
    return element(
      'div',
      { class: 'scroll', tabindex: '0' },
      element('table', {}, element('thead', {}, row('th', header)), element('tbody', {}, ...content)),
    )
  }

  function inline(node: Inline): T {
    switch (node.type) {
      case 'text':
        return text(node.text)
      case 'lineBreak':
        return element('br', {})
      case 'mention':
        return mention(node.who)
      case 'emoji':
        return emoji(node.name)
      case 'formula':
        return element('code', {}, text(node.isDisplay ? `$$${node.text}$$` : `$${node.text}$`))
      case 'spoiler':
        return element(
          'details',
          { class: 'spoiler' },
          element('summary', {}, text(spoiler)),
          ...inlines(node.children),
        )
      case 'strong':
        return element('strong', {}, ...inlines(node.children))
      case 'emphasis':
        return element('em', {}, ...inlines(node.children))
      case 'strikethrough':
        return element('del', {}, ...inlines(node.children))
      case 'code':
        return element('code', {}, ...inlines(node.children))
      case 'link':
        // A picture is a link, too: requesting it would tell its server who reads the page.
        return element('a', { href: node.href, ...link }, ...inlines(node.children))
    }
  }

  return blocks(parseBody(body))
}
