/** What the house knows of itself and tells its functions. */
export interface House {
  /** Where a process on this machine reaches it. */
  localUrl: string
  /** Where everyone else does. */
  publicUrl: string
  dbUrl: string
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
  /** Public keys alone. */
  jwks: unknown
}

/**
 * The variables that Supabase's runtime gives to every function. SUPABASE_URL is the address on this machine, as
 * in a self-hosted Supabase: it works behind any proxy. Where that is https, its certificate is for the public
 * name, and so that is given.
 */
export function houseEnvironment(house: House): Record<string, string> {
  return {
    SUPABASE_URL: house.localUrl.startsWith('https:') ? house.publicUrl : house.localUrl,
    SUPABASE_PUBLIC_URL: house.publicUrl,
    SUPABASE_ANON_KEY: house.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: house.serviceRoleKey,
    SUPABASE_DB_URL: house.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: house.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: house.secretKey }),
    SUPABASE_JWKS: JSON.stringify(house.jwks),
  }
}
