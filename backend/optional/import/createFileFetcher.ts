import { checkDestination } from '../../../supabase/functions/_shared/checkDestination.ts'
import { parseAllowed } from '../../jobs/http/parseAllowed.ts'
import { lookupAll, type Resolve } from '../../runtime/outbound/resolveHost.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'
import { headerOf, OutboundError, sendOutbound } from '../../runtime/outbound/sendOutbound.ts'
import type { ExportedFile } from './ExportReader.ts'

/** The bytes of a file behind a link, or the reason why it is missing. */
export type FetchedFile = { bytes: Buffer } | { problem: string }

/** A file is in memory while it is fetched and stored. */
export const maxFetchedBytes = 128 * 1024 * 1024
const timeoutMs = 300_000

/**
 * Creates the client that fetches files behind links of an export, from public addresses only, with each redirect checked.
 * @param o.token an access token of Slack, which is sent to hosts of slack.com alone; null for links that contain one
 * @param o.allowed destinations that are permitted although they are not public, as in `[pg_net] allowed`
 */
export function createFileFetcher(o: {
  token: string | null
  allowed?: string[]
  resolve?: Resolve
}): (file: ExportedFile, url: string) => Promise<FetchedFile> {
  const rules = { allowed: parseAllowed(o.allowed ?? []), resolve: o.resolve ?? lookupAll, isPinned: true }
  return async (file, address) => {
    const url = parseUrl(address)
    if (url === null) return { problem: 'without an address' }
    const isSlack = url.protocol === 'https:' && /(?:^|\.)slack\.com$/.test(url.hostname)
    try {
      const response = await sendOutbound({
        url: address,
        method: 'GET',
        headers: [
          ['User-Agent', 'Linnet import'],
          ['Accept-Encoding', 'identity'],
          ...(isSlack && o.token !== null
            ? ([['Authorization', `Bearer ${o.token}`]] as [string, string][])
            : []),
        ],
        findDestination: (target, from) => checkDestination(target, from, rules),
        maxRedirects: 3,
        maxResponseBytes: maxFetchedBytes,
        readsBody: (head) => head.status === 200,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return checkResponse(file, response.status, headerOf(response, 'content-type') ?? '', response.body)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return { problem: problemOf(error) }
    }
  }
}

/** A link that has ended leads to a page that offers to sign in. */
function checkResponse(file: ExportedFile, status: number, type: string, bytes: Buffer): FetchedFile {
  if (status !== 200) return { problem: `the server responded with status ${status}` }
  if (/^text\/html\b/i.test(type) && file.type !== 'text/html')
    return {
      problem: 'the server responded with a web page instead: the link or the token is no longer valid',
    }
  return { bytes }
}

function problemOf({ reason }: OutboundError): string {
  if (reason === 'refused') return 'the address is not public'
  if (reason === 'size')
    return `larger than ${maxFetchedBytes / 1024 / 1024} MiB, which only a stored file can be`
  return reason === 'aborted' ? 'the server did not respond in time' : 'the server could not be reached'
}
