import { createHmac } from 'node:crypto'

/**
 * The headers that authenticate a call, after https://www.standardwebhooks.com: one signature per secret, so
 * that a secret can be replaced while both are valid.
 * @param o.at time of sending
 */
export function signHook(
  secrets: Buffer[],
  o: { id: string; at: Date; payload: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(o.at.getTime() / 1000))
  const sign = (secret: Buffer): string =>
    `v1,${createHmac('sha256', secret).update(`${o.id}.${timestamp}.${o.payload}`).digest('base64')}`
  return {
    'webhook-id': o.id,
    'webhook-timestamp': timestamp,
    // Separated by a comma as on hosted Supabase; verification libraries accept it.
    'webhook-signature': secrets.map(sign).join(', '),
  }
}
