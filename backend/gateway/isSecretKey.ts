/** Whether an API key bypasses row security; such keys must never be used in a browser. */
export function isSecretKey(key: string): boolean {
  if (key.startsWith('sb_secret_')) return true
  try {
    const claims = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString()) as {
      role?: string
    }
    return claims.role === 'service_role'
  } catch {
    return false
  }
}
