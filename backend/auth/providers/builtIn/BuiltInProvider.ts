import type { ClientAuth } from '../oauth2.ts'
import type { ProviderTokens, ProviderUser } from '../Provider.ts'
import type { ProviderRequest } from '../createOutbound.ts'

/** The base URL: the configured `url`, or else this host. No trailing slash. */
type BaseOf = (host: string) => string

/** A provider's endpoints. */
export interface Endpoints {
  authorize: string
  token: string
  /** The prefix of API paths; also `iss` of its users. */
  api: string
}

/** The definition of an OAuth 2 provider. */
export interface BuiltInProvider {
  /** Null if they are read from the issuer's discovery document. */
  endpoints: ((base: BaseOf) => Endpoints) | null
  /** The issuer of its ID tokens; null if it has none. */
  issuer: string | null
  /** Scopes that are always requested. */
  scopes: readonly string[]
  /** Whether an application may request further scopes. */
  allowsScopes: boolean
  clientAuth: ClientAuth
  /**
   * Whether PKCE is used. GoTrue uses it with X only; the others document that they verify it, so that a stolen
   * code cannot be used in another flow.
   */
  pkce: boolean
  /** Parameters that are always sent. */
  params?: Record<string, string>
  userSource: FromApi | FromIdToken | FromTokenResponse
}

/** The user is fetched from the provider's API, one request after the other. */
export interface FromApi {
  kind: 'api'
  requests: (o: {
    api: string
    token: string
    clientId: string
    secret: string
  }) => ({ url: string } & ProviderRequest)[]
  toUser: (responses: unknown[], api: string) => ProviderUser
}

/** The user is read from the ID token; `fallback` is used if there is none. */
interface FromIdToken {
  kind: 'idToken'
  fallback?: FromApi
}

/** The user is read from the response of the token endpoint. */
interface FromTokenResponse {
  kind: 'tokenResponse'
  toUser: (tokens: ProviderTokens, api: string) => ProviderUser
}
