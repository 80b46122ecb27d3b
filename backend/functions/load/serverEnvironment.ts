/** Addresses and keys of this server that functions get. */
export interface ServerInfo {
  /** The URL for processes on this machine. */
  localUrl: string
  /** The URL for all other clients. */
  publicUrl: string
  dbUrl: string
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
  /** Public keys only. */
  jwks: unknown
}

/**
 * The variables that Supabase's runtime sets for every function. SUPABASE_URL is the local URL, as in a self-hosted
 * Supabase: it works behind any proxy. If that is https, it is the public URL, for which the certificate was issued.
 */
export function serverEnvironment(server: ServerInfo): Record<string, string> {
  return {
    SUPABASE_URL: server.localUrl.startsWith('https:') ? server.publicUrl : server.localUrl,
    SUPABASE_PUBLIC_URL: server.publicUrl,
    SUPABASE_ANON_KEY: server.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: server.serviceRoleKey,
    SUPABASE_DB_URL: server.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: server.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: server.secretKey }),
    SUPABASE_JWKS: JSON.stringify(server.jwks),
  }
}
