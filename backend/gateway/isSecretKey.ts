/** Whether an API key passes over row security: those never belong into a browser. */
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
