import { i18n } from '@lingui/core'
import { renderBody } from '../../../wire/body/renderBody.ts'
import { webMentionPosition, type WebChannelPage } from '../../../wire/webChannels.ts'
import { loadEmojiNames } from '../../features/parts/emoji/emojiNames.ts'
import { webPath } from '../../paths.ts'
import { createNode, type Content } from './createNode.ts'

/** Who and what mentions of a page name. */
type Named = Pick<WebChannelPage, 'people' | 'channels'>

/** A text of a message as elements. `author`: who does what "/me …" describes. */
export function renderWebBody(body: string, author: string, named: Named): HTMLElement {
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

  const content = renderBody<Content>(body, {
    element: createNode,
    text: (text) => text,
    mention,
    emoji,
    spoiler: i18n._('Spoiler'),
    link: { rel: 'nofollow noopener noreferrer ugc', target: '_blank' },
  })
  return createNode('div', { class: 'body', dir: 'auto' }, content)
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
