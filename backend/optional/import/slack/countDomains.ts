import { textOf, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportedMessage } from '../ExportReader.ts'

const maxDomains = 1_000
/** Links to a message, or to the page of a file. */
const permalink =
  /https:\/\/([a-z0-9][a-z0-9-]{0,60}(?:\.enterprise)?\.slack\.com)\/(?:archives|files)\/[A-Z0-9]/g
const servers = new Set(['app.slack.com', 'files.slack.com'])

/** Finds the domain of a Slack workspace, which is in no list of its exports. */
export interface SlackDomains {
  add(message: ExportedMessage): void
  /** The domain to which most permalinks lead; empty if there is none. Messages also link to other workspaces. */
  mostFrequent(): string
}

/** Counts the domains of permalinks in texts and of files. */
export function countDomains(): SlackDomains {
  const counts = new Map<string, number>()
  return {
    add({ content, files }) {
      const text = content.kind === 'text' ? textOf((content.fields as Fields)['text']) : ''
      const links = [text, ...files.map(({ address }) => address)].filter((link) =>
        link.includes('.slack.com/'),
      )
      for (const link of links)
        for (const [, domain = ''] of link.matchAll(permalink))
          if (!servers.has(domain) && (counts.has(domain) || counts.size < maxDomains))
            counts.set(domain, (counts.get(domain) ?? 0) + 1)
    },
    mostFrequent: () => Array.from(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? '',
  }
}
