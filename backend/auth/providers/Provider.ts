/** An email address as a provider returns it. */
export interface ProviderEmail {
  email: string
  /** Whether the provider has verified the address. */
  verified: boolean
  primary: boolean
}

/** A user's claims as identities store them; empty values are left out. */
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
  /** These five are older names of the same values, which applications read. */
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

/** The response of a provider's token endpoint. */
export interface ProviderTokens {
  accessToken: string
  refreshToken: string
  idToken: string | null
  /** The whole response: with some providers it contains the profile. */
  response: Record<string, unknown>
}

/** A configured provider. */
export interface Provider {
  /** The provider's name in identities: "github", "custom:acme". */
  name: string
  /** Whether users without an email address are accepted. */
  emailOptional: boolean
  /** The issuer that its responses must name (RFC 9207); null if it is unknown. */
  issuer: string | null
  /** The parameter of its redirect: a code (OAuth 2), or a verifier of the token (OAuth 1). */
  returnsWith: 'code' | 'oauth_verifier'
  /**
   * The URL to redirect to. `secret` must only be passed to `redeem`: the verifier of a challenge.
   * @param o.params further parameters of the application
   */
  begin(o: { state: string; params: Record<string, string> }): Promise<{ url: string; secret: string | null }>
  /** Exchanges the parameters of the redirect for tokens. Throws OutboundError. */
  redeem(returned: URLSearchParams, secret: string | null): Promise<ProviderTokens>
  /** Fetches the user. Throws OutboundError, and jose's errors for an ID token that is not the provider's. */
  readUser(tokens: ProviderTokens): Promise<ProviderUser>
}
