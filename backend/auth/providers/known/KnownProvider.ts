import type { ClientAuth } from '../oauth2.ts'
import type { Ask } from '../outbound/createOutbound.ts'
import type { ProviderTokens, ProviderUser } from '../Provider.ts'

/** A base address: the configured `url`, else this host. No slash at the end. */
type BaseOf = (host: string) => string

/** Where a provider is reached. */
export interface Endpoints {
  authorize: string
  token: string
  /** Before the paths of what is asked about a person; their `iss` as well. */
  api: string
}

/** What there is to know of a provider whose sign-in is OAuth 2. */
export interface KnownProvider {
  /** Null where the issuer's own document says it. */
  endpoints: ((base: BaseOf) => Endpoints) | null
  /** Of providers that sign who a person is; null for others. */
  issuer: string | null
  /** What is always asked for. */
  scopes: readonly string[]
  /** Whether an application may ask for more. */
  moreScopes: boolean
  clientAuth: ClientAuth
  /**
   * Whether it is sent a challenge of ours. Upstream asks it of X alone; the others document that they check it, so
   * that a code that was stolen on its way is of no use in another's flow.
   */
  pkce: boolean
  /** What is always sent along. */
  params?: Record<string, string>
  reads: FromApi | FromIdToken | FromAnswer
}

/** The person is asked about at the provider's API, one request after the other. */
export interface FromApi {
  from: 'api'
  ask: (o: { api: string; token: string; clientId: string; secret: string }) => ({ url: string } & Ask)[]
  toUser: (answers: unknown[], api: string) => ProviderUser
}

/** A signed token describes the person; `api` where the provider gives none. */
interface FromIdToken {
  from: 'idToken'
  instead?: FromApi
}

/** The answer to the code describes the person as well. */
interface FromAnswer {
  from: 'answer'
  toUser: (tokens: ProviderTokens, api: string) => ProviderUser
}
