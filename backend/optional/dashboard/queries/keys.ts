import type { RunningServer } from '../../../startup/runningServer.ts'

/** A value to copy into the settings of an application. */
export interface Key {
  name: string
  value: string
  /** Its purpose. */
  purpose: string
  /** Shown only on request. */
  secret: boolean
}

/** The URL and the keys, public ones first. */
export function listKeys(running: RunningServer): Key[] {
  const publicKey = (name: string, value: string, purpose: string): Key => ({
    name,
    value,
    purpose,
    secret: false,
  })
  const secret = (name: string, value: string, purpose: string): Key => ({
    name,
    value,
    purpose,
    secret: true,
  })
  return [
    publicKey('URL', running.url, 'SUPABASE_URL'),
    publicKey('Public key', running.publishableKey, 'for browsers and phones'),
    publicKey('Public key, legacy', running.anonKey, 'anon, for older clients'),
    secret('Secret key', running.secretKey, 'for servers: bypasses all policies'),
    secret('Secret key, legacy', running.serviceRoleKey, 'service_role, for older clients'),
    secret('JWT secret', running.jwtSecret, 'signs the legacy keys'),
    secret('Database', running.dbUrl, 'for psql and tools, as postgres'),
  ]
}
