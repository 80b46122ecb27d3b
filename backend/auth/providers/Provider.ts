/** An address as a provider tells it. */
export interface ProviderEmail {
  email: string
  /** The provider says that the person has proved it. */
  verified: boolean
  primary: boolean
}

/** What a provider says of a person, by the names that identities have for it; empty values are left out. */
export interface ProviderClaims {
  iss?: string
  sub: string
  aud?: string[]
  iat?: number
  exp?: number
  name?: string
  family_name?: string
  given_name?: string
  middle_name?: string
  nickname?: string
  preferred_username?: string
  profile?: string
  picture?: string
  website?: string
  gender?: string
  birthdate?: string
  zoneinfo?: string
  locale?: string
  updated_at?: string
  email?: string
  email_verified?: boolean
  phone?: string
  phone_verified?: boolean
  custom_claims?: Record<string, unknown>
  /** These five are older names for the same, which applications read. */
  full_name?: string
  avatar_url?: string
  slug?: string
  provider_id?: string
  user_name?: string
}

export interface ProviderUser {
  emails: ProviderEmail[]
  claims: ProviderClaims
}

/** What a provider gives for a code. */
export interface ProviderTokens {
  accessToken: string
  refreshToken: string
  idToken: string | null
  /** The whole answer: some put the profile into it. */
  answer: Record<string, unknown>
}

/** A provider as configured, ready to send people to and to ask about them. */
export interface Provider {
  /** By which identities know it: "github", "custom:acme". */
  name: string
  /** Whether people may come without an address. */
  emailOptional: boolean
  /** Who its answers must name as their issuer (RFC 9207), where there is one such name. */
  issuer: string | null
  /** How people come back: with a code (OAuth 2), or with a token and its verifier (OAuth 1). */
  returnsWith: 'code' | 'oauth_verifier'
  /**
   * Where the browser goes. `keep` is to be handed to `redeem`, and to nobody else: the verifier of a challenge.
   * @param o.params what the application adds to the address
   */
  begin(o: { state: string; params: Record<string, string> }): Promise<{ url: string; keep: string | null }>
  /** The tokens for what people came back with. Throws OutboundError. */
  redeem(returned: URLSearchParams, kept: string | null): Promise<ProviderTokens>
  /** Who that is. Throws OutboundError, and jose's errors on a token that is not the provider's. */
  readUser(tokens: ProviderTokens): Promise<ProviderUser>
}
