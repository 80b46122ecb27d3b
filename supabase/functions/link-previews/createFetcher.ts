import { parseAllowed } from '../../../backend/jobs/http/parseAllowed.ts'
import { lookupAll, type Resolve } from '../../../backend/runtime/outbound/resolveHost.ts'
import {
  headerOf,
  OutboundError,
  sendOutbound,
  type OutboundResponse,
} from '../../../backend/runtime/outbound/sendOutbound.ts'
import { checkDestination } from '../_shared/checkDestination.ts'
import { decodePage, readMetadata, type Metadata } from './readMetadata.ts'
import { readPicture, type Picture } from './readPicture.ts'

export interface FoundPreview extends Omit<Metadata, 'image'> {
  picture: Picture | null
}

export interface Fetcher {
  /** The preview of an address; null if its page has none. Throws OutboundError. */
  fetchPreview(url: string): Promise<FoundPreview | null>
}

/** Of a page, its head is at the beginning: the rest is not read. */
const maxPageBytes = 512 * 1024
const maxPictureBytes = 1024 * 1024
/** For each request, with its redirects. */
const timeoutMs = 5_000
const maxRedirects = 3

/**
 * The HTTP client for previews: GET without credentials, from public addresses and the ports 80 and 443 only. A name is
 * resolved once, all its addresses are checked, and the connection is made to them alone; each redirect is checked too.
 * @param o.allowed other destinations that are allowed, as in `[pg_net] allowed`
 * @param o.isPinned whether the runtime can connect to a given address
 */
export function createFetcher(o: { allowed: string[]; isPinned: boolean; resolve?: Resolve }): Fetcher {
  const { isPinned, resolve = lookupAll } = o
  const allowed = parseAllowed(o.allowed)
  const get = async (url: string, accept: string, maxBytes: number, isWanted: RegExp): Promise<Fetched> => {
    let finalUrl: URL | undefined
    const response = await sendOutbound({
      url,
      method: 'GET',
      headers: [
        ['User-Agent', 'LinnetBot/1.0 (link preview)'],
        ['Accept', accept],
        ['Accept-Encoding', 'identity'],
      ],
      async findDestination(target, redirectedFrom) {
        finalUrl = target
        return checkDestination(target, redirectedFrom, { allowed, resolve, isPinned })
      },
      maxRedirects,
      maxResponseBytes: maxBytes,
      truncatesBody: accept === pageTypes,
      readsBody: (head) => head.status === 200 && isWanted.test(headerOf(head, 'content-type') ?? ''),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { ...response, url: finalUrl ?? new URL(url), type: headerOf(response, 'content-type') ?? '' }
  }
  const fetchPicture = async (url: string | null): Promise<Picture | null> => {
    if (url === null) return null
    try {
      return readPicture((await get(url, 'image/*', maxPictureBytes, /^image\//i)).body)
    } catch (error) {
      // The preview is shown without it.
      if (error instanceof OutboundError) return null
      throw error
    }
  }
  return {
    async fetchPreview(url) {
      const page = await get(url, pageTypes, maxPageBytes, /^(text\/html|application\/xhtml\+xml)\b/i)
      if (page.body.length === 0 || (headerOf(page, 'content-encoding') ?? 'identity') !== 'identity')
        return null
      const found = readMetadata(decodePage(page.body, page.type), page.url)
      if (found === null) return null
      const { image, ...text } = found
      return { ...text, picture: await fetchPicture(image) }
    },
  }
}

const pageTypes = 'text/html, application/xhtml+xml'

interface Fetched extends OutboundResponse {
  /** After redirects. */
  url: URL
  type: string
}
