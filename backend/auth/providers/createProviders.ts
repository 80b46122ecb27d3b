import type { Queryable } from '../rows/findUser.ts'
import { providerNames, type ExternalSettings, type ProviderName } from '../settings/providerSettings.ts'
import { findCustomProvider } from './custom/customProvider.ts'
import { createCustomProvider } from './custom/createCustomProvider.ts'
import { builtInProviders } from './builtIn/builtInProviders.ts'
import { createBuiltInProvider } from './builtIn/createBuiltInProvider.ts'
import { createTwitterProvider } from './builtIn/createTwitterProvider.ts'
import { createIssuers, type Issuers } from './oidc/createIssuers.ts'
import type { Provider } from './Provider.ts'
import type { Outbound } from './createOutbound.ts'

/** A provider that cannot be used; the message is for the client. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** The providers that users can sign in with. */
export interface Providers {
  outbound: Outbound
  issuers: Issuers
  /**
   * Finds a provider by its name, such as "github" or "custom:acme". Throws ProviderUnavailable, OutboundError.
   */
  find(name: string, scopes: string): Promise<Provider>
}

/** Creates the providers that config.toml and the table of custom providers enable. */
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
  const clients = { outbound, issuers }

  async function findCustom(name: string, scopes: string): Promise<Provider> {
    const row = await findCustomProvider(o.db, name)
    if (!row) throw new ProviderUnavailable(`custom provider ${name} not found`)
    if (!row.enabled) throw new ProviderUnavailable(`custom provider ${name} is disabled`)
    return createCustomProvider(clients, row, { redirectUri: o.callbackUrl(), scopes })
  }

  return {
    ...clients,
    async find(requestedName, scopes) {
      const name = requestedName.toLowerCase()
      if (name.startsWith('custom:')) return findCustom(name, scopes)
      if (!isBuiltInName(name)) throw new ProviderUnavailable(`Provider ${name} could not be found`)
      const settings = o.external.providers[name]
      if (!settings.enabled) throw new ProviderUnavailable('provider is not enabled')
      if (settings.secret === '') throw new ProviderUnavailable('missing OAuth secret')
      const redirectUri = settings.redirectUri || o.callbackUrl()
      if (name === 'twitter') return createTwitterProvider(outbound, { settings, redirectUri })
      return createBuiltInProvider(clients, builtInProviders[name], { name, settings, redirectUri, scopes })
    },
  }
}

function isBuiltInName(name: string): name is ProviderName {
  return (providerNames as readonly string[]).includes(name)
}
