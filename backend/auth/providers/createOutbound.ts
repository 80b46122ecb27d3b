import { isPublicAddress } from '../../runtime/outbound/isPublicAddress.ts'
import { lookupAll, resolveHost, type Resolve } from '../../runtime/outbound/resolveHost.ts'
import {
  headerOf,
  OutboundError,
  sendOutbound,
  type Destination,
} from '../../runtime/outbound/sendOutbound.ts'

/** Options of a request to a provider. */
export interface ProviderRequest {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** For URLs from the API: only TLS and public addresses are allowed. */
  publicOnly?: boolean
}

interface ProviderResponse {
  status: number
  contentType: string
  text: string
}

/** The HTTP client for external providers. One per server, so that tests can redirect it to their own provider. */
export interface Outbound {
  /** Sends a request; GETs follow redirects, each of which is checked. Throws OutboundError. */
  send(url: string, request?: ProviderRequest): Promise<ProviderResponse>
  /** Resolves all addresses of a host name. Rejects if there are none. */
  resolve: Resolve
}

/** The timeout of a request, connecting and reading included, in ms; as on hosted Supabase. */
const timeoutMs = 10_000
const maxResponseBytes = 1_048_576
const maxRedirects = 3

export function createOutbound(
  o: {
    resolve?: Resolve
    /** Replaces a URL after it was checked; for tests. */
    redirectRequest?: (url: URL) => URL
    /** Creates the signal that aborts a request after the timeout. */
    createTimeout?: () => AbortSignal
  } = {},
): Outbound {
  const { resolve = lookupAll, redirectRequest, createTimeout = () => AbortSignal.timeout(timeoutMs) } = o
  return {
    resolve,
    async send(url, { method = 'GET', headers, body, publicOnly = false } = {}) {
      const response = await sendOutbound({
        url,
        method,
        headers: Object.entries({ Accept: 'application/json', 'User-Agent': 'Linnet', ...headers }),
        body: body ?? null,
        async findDestination(target, redirectedFrom): Promise<Destination> {
          if (redirectedFrom?.protocol === 'https:' && target.protocol !== 'https:') {
            throw new OutboundError(`${redirectedFrom.host} redirects away from TLS`, { reason: 'refused' })
          }
          return {
            ...(publicOnly ? { addresses: await publicAddresses(target, resolve) } : {}),
            ...(redirectRequest ? { url: redirectRequest(target) } : {}),
          }
        },
        maxRedirects: method === 'POST' ? 0 : maxRedirects,
        maxResponseBytes,
        signal: createTimeout(),
      })
      return {
        status: response.status,
        contentType: headerOf(response, 'content-type') ?? '',
        text: response.body.toString('utf8'),
      }
    },
  }
}

async function publicAddresses(url: URL, resolve: Resolve): Promise<string[]> {
  const refused = (why: string): OutboundError =>
    new OutboundError(`${url.host} ${why}`, { reason: 'refused' })
  if (url.protocol !== 'https:') throw refused('is not requested over TLS')
  const addresses = await resolveHost(url, resolve)
  if (!addresses.every(isPublicAddress)) throw refused('is not a public address')
  return addresses
}

/** Fetches JSON from a provider. Throws OutboundError for an error status or invalid JSON. */
export async function fetchJson(
  outbound: Outbound,
  url: string,
  request: ProviderRequest = {},
): Promise<unknown> {
  const { status, text } = await outbound.send(url, request)
  const { host } = new URL(url)
  if (status < 200 || status > 299) throw new OutboundError(`${host} responded with status ${status}`)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new OutboundError(`${host} responded with invalid JSON`)
  }
}
