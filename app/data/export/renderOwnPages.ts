import { escapeHtml } from '../../../wire/escapeHtml.ts'
import {
  countOf,
  renderMessage,
  type PageMessage,
  type PageNames,
} from '../../../wire/pages/renderMessage.ts'
import { entryLink, renderPage } from '../../../wire/pages/renderPage.ts'

export interface ChannelSummary {
  name: string
  messages: number
  /** Paths of its pages in the archive. */
  pages: string[]
}

/** A message of a page, and whether the user has written it. */
export interface ShownMessage extends PageMessage {
  isOwn: boolean
}

interface OwnPage {
  /** The user. */
  name: string
  channel: string
  /** Consecutive messages. */
  sections: ShownMessage[][]
  names: PageNames
  earlier: string | null
}

/** A page of messages. It lies one directory below the files. */
export function renderOwnPage({ name, channel, sections, names, earlier }: OwnPage): string {
  const links = [
    entryLink('../index.html', 'All conversations'),
    ...(earlier === null ? [] : [entryLink(`../${earlier}`, 'Earlier')]),
  ]
  /** A first message of a thread can be in two sections, but an id is once in a page. */
  const shown = new Set<string>()
  const content = sections.map((messages) => {
    const articles = messages.map((message) => {
      const isRepeated = shown.has(message.id)
      shown.add(message.id)
      return renderMessage(message, {
        ...names,
        ...(message.isOwn ? {} : { tag: 'context' }),
        ...(isRepeated ? { isRepeated } : {}),
      })
    })
    return `<section>\n${articles.join('\n')}\n</section>`
  })
  const hint = `Messages of <bdi>${escapeHtml(name)}</bdi>. Other people wrote the messages marked “context”, which show what the messages are about. Times are in UTC.`
  return renderPage(
    channel,
    `<nav>${links.join(' ')}</nav>\n<p class="quiet">${hint}</p>\n${content.join('\n')}`,
  )
}

/** The first page of the archive. */
export function renderIndex(
  name: string,
  channels: ChannelSummary[],
  counts: Record<string, number>,
): string {
  const conversations = channels.map(
    (channel) =>
      `<li dir="auto"><bdi>${entryLink(channel.pages[0]!, channel.name)}</bdi> <span class="quiet">${countOf(channel.messages, 'message')}${
        channel.pages.length === 1
          ? ''
          : `, pages ${channel.pages.map((path, at) => entryLink(path, String(at + 1))).join(' ')}`
      }</span></li>`,
  )
  const data = Object.entries(counts)
    .filter(([table]) => !['messages', 'files'].includes(table))
    .map(
      ([table, count]) =>
        `<li>${entryLink(`data/${table}.json`, table.replaceAll('_', ' '))} <span class="quiet">${count}</span></li>`,
    )
  const total = `${countOf(counts['messages'] ?? 0, 'message')}, ${countOf(counts['files'] ?? 0, 'file')}`
  return renderPage(
    name,
    `<p class="quiet">What you wrote and can still read: ${total}. Conversations that you can no longer read are not in this export.</p>\n<h2>Messages</h2>\n<ul>\n${conversations.join('\n')}\n</ul>\n<h2>Data</h2>\n<ul>\n${data.join('\n')}\n</ul>\n<p>${entryLink('manifest.json', 'Manifest')}: all files with their SHA-256 checksums</p>`,
  )
}
