import { isLoopback } from '../../runtime/clientAddress/parseAddress.ts'
import type { PasskeySettings } from '../settings/passkeySettings.ts'

/**
 * The relying party of WebAuthn: the domain that credentials are bound to, and the origins that may use them.
 */
export interface RelyingParty {
  id: string
  name: string
  origins: string[]
}

/** Whether this is an http or https URL: a site may be a mobile app instead. */
function isOfTheWeb(address: string): boolean {
  return /^https?:\/\//.test(address) && URL.canParse(address)
}

/**
 * The relying party of the settings; missing values are derived from the URLs of site and service. A loopback
 * address becomes `localhost`: an IP address cannot be a relying party.
 * @param addresses the site's first; at least one must be an http or https URL
 */
export function relyingParty(settings: PasskeySettings['party'], addresses: string[]): RelyingParty {
  const places = addresses.filter(isOfTheWeb).map((address) => {
    const url = new URL(address)
    if (isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) url.hostname = 'localhost'
    return url
  })
  const id = settings.id ?? places[0]!.hostname
  const within = places.filter(({ hostname }) => hostname === id || hostname.endsWith(`.${id}`))
  const known = [...new Set(within.map((place) => place.origin))]
  return {
    id,
    name: settings.name ?? 'Linnet',
    origins: settings.origins ?? (known.length > 0 ? known : [`https://${id}`]),
  }
}
