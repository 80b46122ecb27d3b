import type { Running } from '../../../startup/running.ts'

/** Something that one copies into an application's settings. */
export interface Key {
  name: string
  value: string
  /** What it is for. */
  use: string
  /** Shown only when the owner asks. */
  secret: boolean
}

/** The address and the keys, those for everybody first. */
export function listKeys(running: Running): Key[] {
  const open = (name: string, value: string, use: string): Key => ({ name, value, use, secret: false })
  const secret = (name: string, value: string, use: string): Key => ({ name, value, use, secret: true })
  return [
    open('Address', running.url, 'SUPABASE_URL'),
    open('Public key', running.publishableKey, 'for browsers and phones'),
    open('Public key, old form', running.anonKey, 'anon, for older clients'),
    secret('Secret key', running.secretKey, 'for servers: past all policies'),
    secret('Secret key, old form', running.serviceRoleKey, 'service_role, for older clients'),
    secret('JWT secret', running.jwtSecret, 'makes the keys of the old form'),
    secret('Database', running.dbUrl, 'for psql and tools, as postgres'),
  ]
}
