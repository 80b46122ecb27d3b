import { isLoopback } from '../../runtime/clientAddress/parseAddress.ts'
import type { PasskeySettings } from '../settings/passkeySettings.ts'

/** For whom credentials are made, and from where they may be used (WebAuthn, "relying party"). */
export interface RelyingParty {
  id: string
  name: string
  origins: string[]
}

/** Whether browsers go there: a site may be an app of a phone instead. */
function isOfTheWeb(address: string): boolean {
  return /^https?:\/\//.test(address) && URL.canParse(address)
}

/**
 * The relying party as the settings say, and where they don't, as the addresses of site and service do. A loopback
 * address counts as `localhost`: a number can't be a relying party, and browsers take localhost for this machine.
 * @param addresses the site's first, and at least one of the web
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
