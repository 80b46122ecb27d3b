// Deno has no global Buffer.
import { Buffer } from 'node:buffer'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { parseAllowed } from '../../../backend/jobs/http/parseAllowed.ts'
import { lookupAll, type Resolve } from '../../../backend/runtime/outbound/resolveHost.ts'
import { headerOf, sendOutbound } from '../../../backend/runtime/outbound/sendOutbound.ts'
import { checkDestination } from '../_shared/checkDestination.ts'

/** What a push service responded with. */
export interface PostResponse {
  status: number
  /** Of the header `Retry-After`. */
  retryAfter: string | null
}

export interface Poster {
  /** Posts a message to an endpoint. Rejects with OutboundError where the endpoint is refused or not reached. */
  post(
    endpoint: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<PostResponse>
  /** Closes its connections. */
  close(): void
}

const timeoutMs = 15_000
const maxResponseBytes = 64 * 1024

/**
 * The HTTP client for push services: POST to public addresses and the ports 80 and 443 only, without redirects. A name is
 * resolved once, all its addresses are checked, and connections are made to them alone. They are reused, since most
 * devices have the same push service.
 * @param o.allowed other destinations that are allowed, as in `[pg_net] allowed`
 * @param o.isPinned whether the runtime can connect to a given address
 */
export function createPoster(o: {
  allowed: string[]
  isPinned: boolean
  resolve?: Resolve
  fetch?: typeof fetch
}): Poster {
  const { isPinned, resolve = lookupAll, fetch = globalThis.fetch } = o
  const resolved = new Map<string, Promise<string[]>>()
  const rules = {
    allowed: parseAllowed(o.allowed),
    isPinned,
    resolve: (host: string) => {
      const addresses = resolved.get(host) ?? resolve(host)
      resolved.set(host, addresses)
      return addresses
    },
  }
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  }
  return {
    async post(endpoint, headers, body) {
      const signal = AbortSignal.timeout(timeoutMs)
      if (!isPinned) {
        await checkDestination(new URL(endpoint), null, rules)
        const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'manual', signal })
        await response.body?.cancel()
        return { status: response.status, retryAfter: response.headers.get('retry-after') }
      }
      const response = await sendOutbound({
        url: endpoint,
        method: 'POST',
        headers: Object.entries(headers),
        body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        findDestination: async (url, redirectedFrom) => ({
          ...(await checkDestination(url, redirectedFrom, rules)),
          agent: agents[url.protocol as keyof typeof agents],
        }),
        maxRedirects: 0,
        maxResponseBytes,
        truncatesBody: true,
        signal,
      })
      return { status: response.status, retryAfter: headerOf(response, 'retry-after') }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
