import { emojiNamed } from '../../../../supabase/functions/_shared/emojiNamed.ts'
import { escapeHtml } from '../../../../wire/escapeHtml.ts'
import { countOf, renderMessage, type PageMessage } from '../../../../wire/pages/renderMessage.ts'
import { entryLink, renderPage } from '../../../../wire/pages/renderPage.ts'
import { entryPath } from '../entryPath.ts'
import type { ArchivedMessage, Snapshot } from '../exportRows.ts'
import { readNames, type Conversation } from './readNames.ts'

/** The messages of one page, which are in memory at once. */
const messagesPerPage = 1_000

/** A page of the archive with its path. */
export interface Page {
  path: string
  html: string
}

/**
 * The pages for people without a server: one or more of each conversation with messages, and `index.html`, which is the last.
 * `missingFiles` have no link.
 */
export async function* listPages(
  snapshot: Snapshot,
  workspace: string,
  missingFiles: ReadonlySet<string>,
): AsyncGenerator<Page> {
  const names = await readNames(snapshot)
  const contents = new Map<string, string[]>([
    ['Channels', []],
    ['Private channels', []],
    ['Conversations', []],
  ])
  for (const conversation of names.conversations) {
    let count = 0
    let pages = 0
    const finish = (messages: readonly ArchivedMessage[], isLast: boolean): Page => {
      pages++
      count += messages.filter(({ kind }) => kind === 'text').length
      const articles = messages.map((message) =>
        renderMessage(withPaths(message, missingFiles), { nameOf: names.nameOf, emojiNamed }),
      )
      const nav = [
        entryLink('../index.html', 'All conversations'),
        ...(pages > 1 ? [entryLink(`${conversation.id}-${pages - 1}.html`, 'Earlier')] : []),
        ...(isLast ? [] : [entryLink(`${conversation.id}-${pages + 1}.html`, 'Later')]),
      ].join(' ')
      const topic =
        conversation.topic === '' ? '' : `<p class="quiet" dir="auto">${escapeHtml(conversation.topic)}</p>\n`
      return {
        path: `pages/${conversation.id}-${pages}.html`,
        html: renderPage(
          conversation.title,
          `<nav>${nav}</nav>\n${topic}${articles.join('\n')}\n<nav>${nav}</nav>`,
        ),
      }
    }
    let messages: ArchivedMessage[] = []
    for await (const message of snapshot.messages(conversation.id)) {
      if (messages.length === messagesPerPage) {
        yield finish(messages, false)
        messages = []
      }
      messages.push(message)
    }
    if (messages.length > 0) yield finish(messages, true)
    if (pages > 0) contents.get(section(conversation))!.push(summarize(conversation, count, pages))
  }
  const sections = Array.from(contents, ([title, items]) =>
    items.length === 0 ? '' : `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`,
  )
  yield {
    path: 'index.html',
    html: renderPage(
      workspace,
      `<p class="quiet">An archive of Linnet. Times are in UTC.</p>\n${sections.join('')}`,
    ),
  }
}

const withPaths = (message: ArchivedMessage, missingFiles: ReadonlySet<string>): PageMessage => ({
  ...message,
  files: message.files.map(({ object, name, type, fileName }) => ({
    name,
    type,
    path: missingFiles.has(`files/${object}`) ? null : entryPath({ bucket: 'files', name: object, fileName }),
  })),
})

const section = ({ kind }: Conversation): string =>
  kind === 'public' ? 'Channels' : kind === 'private' ? 'Private channels' : 'Conversations'

function summarize({ id, title }: Conversation, count: number, pages: number): string {
  const rest = Array.from({ length: pages - 1 }, (_, at) =>
    entryLink(`pages/${id}-${at + 2}.html`, String(at + 2)),
  )
  const more = rest.length === 0 ? '' : `, pages 1 ${rest.join(' ')}`
  return `<li dir="auto"><bdi>${entryLink(`pages/${id}-1.html`, title)}</bdi> <span class="quiet">${countOf(count, 'message')}${more}</span></li>`
}
