import { decodeJwt } from 'jose'

/** Whether an API key bypasses row security; such keys must never be used in a browser. */
export function isSecretKey(key: string): boolean {
  if (key.startsWith('sb_secret_')) return true
  try {
    return decodeJwt<{ role?: string }>(key).role === 'service_role'
  } catch {
    return false
  }
}
