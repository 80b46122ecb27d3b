import { isLoopback } from '../../runtime/clientAddress/parseAddress.ts'
import type { PasskeySettings } from '../settings/passkeySettings.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/**
 * The relying party of WebAuthn: the domain that credentials are bound to, and the origins that may use them.
 */
export interface RelyingParty {
  id: string
  name: string
  origins: string[]
}

/** Whether this is an http or https URL: a site may be a mobile app instead. */
function isHttpUrl(address: string): boolean {
  return /^https?:\/\//.test(address) && parseUrl(address) !== null
}

/**
 * The relying party of the settings; missing values are derived from the URLs of site and service. A loopback
 * address becomes `localhost`: an IP address cannot be a relying party.
 * @param addresses the site's first; at least one must be an http or https URL
 */
export function resolveRelyingParty(settings: PasskeySettings['party'], addresses: string[]): RelyingParty {
  const urls = addresses.filter(isHttpUrl).map((address) => {
    const url = new URL(address)
    if (isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) url.hostname = 'localhost'
    return url
  })
  const id = settings.id ?? urls[0]!.hostname
  const within = urls.filter(({ hostname }) => hostname === id || hostname.endsWith(`.${id}`))
  const origins = [...new Set(within.map((url) => url.origin))]
  return {
    id,
    name: settings.name ?? 'Linnet',
    origins: settings.origins ?? (origins.length > 0 ? origins : [`https://${id}`]),
  }
}
