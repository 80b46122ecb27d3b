import { i18n } from '@lingui/core'
import { parseBody } from '../../../wire/body/parseBody.ts'
import type { Block, Inline, List, Table, TableCell } from '../../../wire/body/tree.ts'
import { webMentionPosition, type WebChannelPage } from '../../../wire/webChannels.ts'
import { loadEmojiNames } from '../../features/parts/emoji/emojiNames.ts'
import { webPath } from '../../paths.ts'
import { createNode, type Content } from './createNode.ts'

/** Who and what mentions of a page name. */
type Named = Pick<WebChannelPage, 'people' | 'channels'>

/** A text of a message as elements. `author`: who does what "/me …" describes. */
export function renderWebBody(body: string, author: string, named: Named): HTMLElement {
  const blocks = (all: readonly Block[]): Content[] => all.map(block)
  const inlines = (nodes: readonly Inline[]): Content[] => nodes.map(inline)

  function block(node: Block): Content {
    switch (node.type) {
      case 'paragraph':
        return createNode('p', { dir: 'auto' }, inlines(node.children))
      case 'heading':
        return createNode('p', { dir: 'auto' }, createNode('strong', {}, inlines(node.children)))
      case 'codeBlock':
        return createNode(
          'pre',
          { dir: 'ltr', tabindex: '0' },
          createNode('code', {}, inlines(node.children)),
        )
      case 'formulaBlock':
        return createNode('code', {}, `$$${node.text}$$`)
      case 'quote':
        return createNode('blockquote', {}, blocks(node.children))
      case 'list':
        return list(node)
      case 'table':
        return table(node)
      case 'rule':
        return createNode('hr', {})
    }
  }

  function list({ isOrdered, items }: List): Content {
    const children = items.map(({ marker, number, task, children: content }) => {
      const [first, ...others] = content
      const value: Record<string, string> = number === null ? {} : { value: String(number) }
      return createNode(
        'li',
        { dir: 'auto', ...value, ...(marker.endsWith(')') ? { class: 'parenthesis' } : {}) },
        task ? (task.isDone ? '☑ ' : '☐ ') : null,
        first?.type === 'paragraph' ? [inlines(first.children), blocks(others)] : blocks(content),
      )
    })
    return createNode(isOrdered ? 'ol' : 'ul', {}, children)
  }

  function table({ alignments, header, rows }: Table): Content {
    const row = (tag: string, cells: readonly TableCell[]) =>
      createNode(
        'tr',
        {},
        cells.map(({ children }, at) => {
          const alignment = alignments[at]
          return createNode(tag, alignment ? { class: alignment } : {}, inlines(children))
        }),
      )
    return createNode(
      'div',
      { class: 'scroll', tabindex: '0' },
      createNode(
        'table',
        {},
        createNode('thead', {}, row('th', header)),
        createNode(
          'tbody',
          {},
          rows.map((cells) => row('td', cells)),
        ),
      ),
    )
  }

  function inline(node: Inline): Content {
    switch (node.type) {
      case 'text':
        return node.text
      case 'lineBreak':
        return createNode('br', {})
      case 'mention':
        return mention(node.who)
      case 'emoji':
        return emoji(node.name)
      case 'formula':
        return createNode('code', {}, node.isDisplay ? `$$${node.text}$$` : `$${node.text}$`)
      case 'spoiler':
        return createNode(
          'details',
          { class: 'spoiler' },
          createNode('summary', {}, i18n._('Spoiler')),
          inlines(node.children),
        )
      case 'strong':
        return createNode('strong', {}, inlines(node.children))
      case 'emphasis':
        return createNode('em', {}, inlines(node.children))
      case 'strikethrough':
        return createNode('del', {}, inlines(node.children))
      case 'code':
        return createNode('code', {}, inlines(node.children))
      case 'link':
        // A picture is a link, too: requesting it would tell its server who reads the page.
        return createNode(
          'a',
          { href: node.href, rel: 'nofollow noopener noreferrer ugc', target: '_blank' },
          inlines(node.children),
        )
    }
  }

  function mention(who: string): Content {
    if (who === 'me') return createNode('strong', {}, createNode('bdi', {}, displayedName(author)))
    if (who === 'channel' || who === 'here') return createNode('strong', {}, `@${who}`)
    if (who.startsWith('#')) {
      const channel = named.channels[webMentionPosition(who.slice(1))]
      if (!channel) return createNode('strong', {}, i18n._('#another-channel'))
      return createNode('a', { href: webPath(channel.id) }, '#', createNode('bdi', {}, channel.name))
    }
    const name = who.startsWith('&') ? undefined : named.people[webMentionPosition(who)]
    return name === undefined
      ? createNode('strong', {}, i18n._('@someone'))
      : createNode('strong', {}, '@', createNode('bdi', {}, displayedName(name)))
  }

  return createNode('div', { class: 'body', dir: 'auto' }, blocks(parseBody(body)))
}

/** A standard emoji, as soon as the names are loaded; until then, and for other names, what was typed. */
function emoji(name: string): Content {
  const shown = createNode('span', {}, `:${name}:`)
  loadEmojiNames().then(
    (names) => {
      const found = names.get(name)
      if (found) shown.textContent = found
    },
    () => {},
  )
  return shown
}

/** The name of an erased person is empty. */
function displayedName(name: string): string {
  return name || i18n._('Former member')
}
