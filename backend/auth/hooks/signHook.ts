import { createHmac } from 'node:crypto'

/**
 * The headers by which a hook knows who asks, after https://www.standardwebhooks.com: one signature a secret, so that
 * a secret can be replaced while both are known.
 * @param o.at when it is sent
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
    // With a comma, as hosted joins them; the libraries that verify cope with it.
    'webhook-signature': secrets.map(sign).join(', '),
  }
}
