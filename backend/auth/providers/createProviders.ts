import type { Queryable } from '../rows/findUser.ts'
import { providerNames, type ExternalSettings, type ProviderName } from '../settings/providerSettings.ts'
import { findCustomProvider } from './custom/customProvider.ts'
import { useCustomProvider } from './custom/useCustomProvider.ts'
import { knownProviders } from './known/knownProviders.ts'
import { useKnownProvider } from './known/useKnownProvider.ts'
import { useTwitter } from './known/useTwitter.ts'
import { createIssuers, type Issuers } from './oidc/createIssuers.ts'
import type { Outbound } from './outbound/createOutbound.ts'
import type { Provider } from './Provider.ts'

/** A provider that cannot be used; the message is for the client. */
export class ProviderUnusable extends Error {
  override name = 'ProviderUnusable'
}

/** The providers that users can sign in with. */
export interface Providers {
  outbound: Outbound
  issuers: Issuers
  /**
   * Finds a provider by its name, such as "github" or "custom:acme". Throws ProviderUnusable, OutboundError.
   */
  use(name: string, scopes: string): Promise<Provider>
}

export function createProviders(o: {
  db: Queryable
  external: ExternalSettings
  outbound: Outbound
  /** This service's own /callback. */
  callbackUrl: () => string
  now?: () => number
}): Providers {
  const { outbound } = o
  const issuers = createIssuers(outbound, o.now)
  const uses = { outbound, issuers }

  async function useCustom(name: string, scopes: string): Promise<Provider> {
    const row = await findCustomProvider(o.db, name)
    if (!row) throw new ProviderUnusable(`custom provider ${name} not found`)
    if (!row.enabled) throw new ProviderUnusable(`custom provider ${name} is disabled`)
    return useCustomProvider(uses, row, { redirectUri: o.callbackUrl(), scopes })
  }

  return {
    ...uses,
    async use(given, scopes) {
      const name = given.toLowerCase()
      if (name.startsWith('custom:')) return useCustom(name, scopes)
      if (!isKnownName(name)) throw new ProviderUnusable(`Provider ${name} could not be found`)
      const settings = o.external.providers[name]
      if (!settings.enabled) throw new ProviderUnusable('provider is not enabled')
      if (settings.secret === '') throw new ProviderUnusable('missing OAuth secret')
      const redirectUri = settings.redirectUri || o.callbackUrl()
      if (name === 'twitter') return useTwitter(outbound, { settings, redirectUri })
      return useKnownProvider(uses, knownProviders[name], { name, settings, redirectUri, scopes })
    },
  }
}

function isKnownName(name: string): name is ProviderName {
  return (providerNames as readonly string[]).includes(name)
}
