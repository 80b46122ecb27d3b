import { UsageError } from './UsageError.ts'

/** An origin, as options take it: nothing behind the host but a slash. Throws UsageError. */
export function originOf(option: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash)
    return url.origin
  throw new UsageError(`${option} must be an address such as https://chat.example.org, not "${value}".`)
}
