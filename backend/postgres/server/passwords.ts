import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFileSync } from '../../runtime/durableFiles.ts'
import { StartError } from './StartError.ts'

/** Roles that log in. `supabase_admin` is the only superuser: used only for setup. */
export const serviceRoles = [
  'postgres',
  'authenticator',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
  'supabase_functions_admin',
  'supabase_read_only_user',
] as const
export type ServiceRole = (typeof serviceRoles)[number]

export type Passwords = Record<ServiceRole, string>

/**
 * The passwords of the roles, created at the first start and stored beside the data, readable only by the current user.
 * Throws StartError where data exist without their passwords.
 */
export function loadPasswords(dataDir: string, isNew: boolean): Passwords {
  const file = join(dataDir, 'postgres-passwords.json')
  let stored: Partial<Passwords> = {}
  if (existsSync(file)) {
    try {
      stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<Passwords>
    } catch (error) {
      throw new StartError(`${file} can't be read: ${(error as Error).message}`)
    }
  } else if (!isNew) {
    throw new StartError(
      `${file} is missing: without it Linnet can't log in to its own database. Restore it from a backup of the folder.`,
    )
  }
  const missing = serviceRoles.filter((role) => !stored[role])
  for (const role of missing) stored[role] = randomBytes(24).toString('base64url')
  if (missing.length > 0) replaceFileSync(file, JSON.stringify(stored))
  return stored as Passwords
}
