import { i18n } from '@lingui/core'
import type { Token, Tokens } from 'marked'
import { webMentionPosition, type WebChannelPage } from '../../../wire/webChannels.ts'
import {
  parseBody,
  safeHref,
  type MentionToken,
  type SpoilerToken,
} from '../../features/parts/body/parseBody.ts'
import { webPath } from '../../paths.ts'
import { createNode, type Content } from './createNode.ts'

/** Who and what mentions of a page name. */
type Named = Pick<WebChannelPage, 'people' | 'channels'>

/** A text with the app's own rules of Markdown, as elements. `author`: who does what "/me …" describes. */
export function renderWebBody(body: string, author: string, named: Named): HTMLElement {
  const blocks = (tokens: readonly Token[]): Content[] => tokens.map(block)
  const inlines = (tokens: readonly Token[] | undefined): Content[] => (tokens ?? []).map(inline)

  function block(token: Token): Content {
    switch (token.type) {
      case 'space':
      case 'def':
        return null
      case 'paragraph':
        return createNode('p', { dir: 'auto' }, inlines(token.tokens))
      case 'heading':
        return createNode('p', { dir: 'auto' }, createNode('strong', {}, inlines(token.tokens)))
      case 'code':
        return createNode(
          'pre',
          { dir: 'ltr', tabindex: '0' },
          createNode('code', {}, (token as Tokens.Code).text.replace(/\n$/, '')),
        )
      case 'blockquote':
        return createNode('blockquote', {}, blocks(token.tokens ?? []))
      case 'list':
        return list(token as Tokens.List)
      case 'table':
        return table(token as Tokens.Table)
      case 'hr':
        return createNode('hr', {})
      case 'html':
        return createNode('p', { dir: 'auto' }, token.raw.trimEnd())
      default:
        return inline(token)
    }
  }

  function list({ ordered, start, items }: Tokens.List): Content {
    const children = items.map((item) => {
      const content = item.tokens.filter(({ type }) => type !== 'checkbox')
      return createNode(
        'li',
        { dir: 'auto' },
        item.task ? (item.checked ? '☑ ' : '☐ ') : null,
        blocks(content),
      )
    })
    return ordered
      ? createNode('ol', { start: String(start === '' ? 1 : start) }, children)
      : createNode('ul', {}, children)
  }

  function table({ header, rows }: Tokens.Table): Content {
    const row = (tag: string, cells: readonly Tokens.TableCell[]) =>
      createNode(
        'tr',
        {},
        cells.map((cell) => createNode(tag, {}, inlines(cell.tokens))),
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

  function inline(token: Token): Content {
    switch (token.type) {
      case 'mention':
        return mention((token as unknown as MentionToken).who)
      case 'formula':
        return createNode('code', {}, token.raw)
      case 'spoiler':
        return createNode(
          'details',
          { class: 'spoiler' },
          createNode('summary', {}, i18n._('Spoiler')),
          inlines((token as unknown as SpoilerToken).tokens),
        )
      case 'strong':
      case 'em':
      case 'del':
        return createNode(token.type, {}, inlines(token.tokens))
      case 'codespan':
        return createNode('code', {}, (token as Tokens.Codespan).text)
      case 'br':
        return createNode('br', {})
      case 'link':
        return link((token as Tokens.Link).href, inlines(token.tokens), token.raw)
      case 'image':
        // A link: requesting the picture would tell its server who reads the page.
        return link((token as Tokens.Image).href, (token as Tokens.Image).text || token.raw, token.raw)
      case 'text':
        return (token as Tokens.Text).tokens
          ? inlines((token as Tokens.Text).tokens)
          : (token as Tokens.Text).text
      case 'escape':
        return (token as Tokens.Escape).text
      default:
        return token.raw
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

/** The name of an erased person is empty. */
function displayedName(name: string): string {
  return name || i18n._('Former member')
}

function link(href: string, content: Content, raw: string): Content {
  const safe = safeHref(href)
  if (!safe) return raw
  return createNode('a', { href: safe, rel: 'nofollow noopener noreferrer ugc', target: '_blank' }, content)
}
