import { escapeHtml } from '../../../wire/escapeHtml.ts'
import { archivePath } from './archivePath.ts'

export interface ChannelSummary {
  name: string
  messages: number
  /** Paths of its pages in the archive. */
  pages: string[]
}

interface ShownMessage {
  created_at: string
  edited_at: string | null
  /** The rendered text. */
  html: string
  attachments: { id: string; name: string }[]
}

/** The policy forbids every request: a page opened from a disk contacts no server. */
function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color-scheme:light dark}article{border-top:1px solid #8884;padding:.5rem 0;overflow-wrap:anywhere}time{font-size:.8125rem;opacity:.7}pre{overflow-x:auto}p{margin:.25rem 0}</style>
</head><body><h1>${escapeHtml(title)}</h1>
${content}
</body></html>
`
}

const link = (path: string, name: string): string =>
  `<a href="${escapeHtml(path.split('/').map(encodeURIComponent).join('/'))}">${escapeHtml(name)}</a>`

/** A page of messages. It lies one directory below the files. */
export function messagesPage(channel: string, messages: ShownMessage[]): string {
  const articles = messages.map(
    ({ created_at, edited_at, html, attachments }) =>
      `<article><time datetime="${escapeHtml(created_at)}">${escapeHtml(created_at)}${edited_at ? ' (edited)' : ''}</time>${html}${attachments
        .map(({ id, name }) => `<p>${link(`../${archivePath(id, name)}`, name)}</p>`)
        .join('')}</article>`,
  )
  return page(channel, `<p>${link('../index.html', 'All conversations')}</p>\n${articles.join('\n')}`)
}

/** The first page of the archive. */
export function indexPage(name: string, channels: ChannelSummary[], counts: Record<string, number>): string {
  const rows = channels.map(
    (channel) =>
      `<li>${escapeHtml(channel.name)}, ${channel.messages} messages: ${channel.pages
        .map((path, i) => link(path, String(i + 1)))
        .join(' ')}</li>`,
  )
  const data = Object.entries(counts)
    .filter(([table]) => !['messages', 'files'].includes(table))
    .map(([table, count]) => `<li>${link(`data/${table}.json`, table.replaceAll('_', ' '))}: ${count}</li>`)
  return page(
    name,
    `<h2>Messages</h2><ul>${rows.join('\n')}</ul><h2>Data</h2><ul>${data.join('\n')}</ul><p>${link('manifest.json', 'Manifest')}</p>`,
  )
}
