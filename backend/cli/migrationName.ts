import { UsageError } from './Command.ts'

/** The name of a migration in the name of its file. Throws UsageError for a name without letters and digits. */
export function migrationName(name: string): string {
  const slug = name.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '_')
  if (!/[A-Za-z0-9]/.test(slug))
    throw new UsageError(`"${name}" contains no letter or digit for the file name.`)
  return slug
}

/** The current time as `20260131235959` (UTC), or the next number after an existing later version. */
export function nextVersion(versions: string[]): string {
  const now = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const last = versions.at(-1) ?? ''
  return last < now ? now : String(BigInt(last) + 1n).padStart(last.length, '0')
}
