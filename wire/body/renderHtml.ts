import { escapeHtml } from '../escapeHtml.ts'
import { parseBody } from './parseBody.ts'
import type { Block, Inline, List, Table, TableCell } from './tree.ts'

/** The names that a text is shown with. */
export interface HtmlNames {
  /** Who does what "/me …" describes. */
  author: string
  /** The name of a person by id, of a group by its id after "&", or of a channel by its id after "#"; undefined if it is not known. */
  nameOf(who: string): string | undefined
}

/** The text of a message as HTML without scripts, pictures and styles. Links lead to the web or to a mailbox only. */
export function renderHtml(body: string, { author, nameOf }: HtmlNames): string {
  const blocks = (all: readonly Block[]): string => all.map(block).join('')
  const inlines = (nodes: readonly Inline[]): string => nodes.map(inline).join('')

  function block(node: Block): string {
    switch (node.type) {
      case 'paragraph':
        return `<p dir="auto">${inlines(node.children)}</p>`
      case 'heading':
        return `<p dir="auto"><strong>${inlines(node.children)}</strong></p>`
      case 'codeBlock':
        return `<pre dir="ltr"><code>${inlines(node.children)}</code></pre>`
      case 'formulaBlock':
        return `<pre dir="ltr"><code>${escapeHtml(`$$${node.text}$$`)}</code></pre>`
      case 'quote':
        return `<blockquote>${blocks(node.children)}</blockquote>`
      case 'list':
        return list(node)
      case 'table':
        return table(node)
      case 'rule':
        return '<hr>'
    }
  }

  function list({ isOrdered, items }: List): string {
    const children = items.map(({ number, task, children: content }) => {
      const box = task ? (task.isDone ? '☑ ' : '☐ ') : ''
      const [first, ...others] = content
      const text = first?.type === 'paragraph' ? inlines(first.children) + blocks(others) : blocks(content)
      return `<li dir="auto"${number === null ? '' : ` value="${number}"`}>${box}${text}</li>`
    })
    const tag = isOrdered ? 'ol' : 'ul'
    return `<${tag}>${children.join('')}</${tag}>`
  }

  function table({ alignments, header, rows }: Table): string {
    const row = (tag: string, cells: readonly TableCell[]): string =>
      `<tr>${cells
        .map(({ children }, at) => {
          const alignment = alignments[at]
          return `<${tag}${alignment ? ` class="${alignment}"` : ''}>${inlines(children)}</${tag}>`
        })
        .join('')}</tr>`
    const content = rows.map((cells) => row('td', cells)).join('')
    return `<div class="scroll"><table><thead>${row('th', header)}</thead><tbody>${content}</tbody></table></div>`
  }

  function inline(node: Inline): string {
    switch (node.type) {
      case 'text':
        return escapeHtml(node.text)
      case 'lineBreak':
        return '<br>'
      case 'mention':
        return mention(node.who)
      case 'emoji':
        return escapeHtml(`:${node.name}:`)
      case 'formula':
        return `<code>${escapeHtml(node.isDisplay ? `$$${node.text}$$` : `$${node.text}$`)}</code>`
      case 'spoiler':
        return `<details><summary>Spoiler</summary>${inlines(node.children)}</details>`
      case 'strong':
        return `<strong>${inlines(node.children)}</strong>`
      case 'emphasis':
        return `<em>${inlines(node.children)}</em>`
      case 'strikethrough':
        return `<del>${inlines(node.children)}</del>`
      case 'code':
        return `<code>${inlines(node.children)}</code>`
      case 'link':
        // A picture is a link, too: requesting it would tell its server who reads the page.
        return `<a href="${escapeHtml(node.href)}" rel="noopener noreferrer">${inlines(node.children)}</a>`
    }
  }

  function mention(who: string): string {
    if (who === 'me') return `<strong><bdi>${escapeHtml(author)}</bdi></strong>`
    if (who === 'channel' || who === 'here') return `<strong>@${who}</strong>`
    const isChannel = who.startsWith('#')
    const name = nameOf(who) ?? (isChannel ? 'another channel' : 'someone')
    return `<strong>${isChannel ? '#' : '@'}<bdi>${escapeHtml(name)}</bdi></strong>`
  }

  return blocks(parseBody(body))
}
