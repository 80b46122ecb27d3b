import { AuthError } from '../http/AuthError.ts'

/**
 * Throws AuthError 429 if the last such message was sent too recently.
 * @param cooldownMs minimum interval between two messages, in ms
 */
export function checkCooldown(by: 'email' | 'sms', sentAt: Date | null, cooldownMs: number): void {
  rejectDuringCooldown(by, sentAt === null ? 0 : sentAt.getTime() + cooldownMs - Date.now())
}

/**
 * Throws AuthError 429 if the cooldown has not passed yet.
 * @param left the rest of the cooldown, in ms
 */
export function rejectDuringCooldown(by: 'email' | 'sms', left: number): void {
  if (left <= 0) return
  const message = `For security purposes, you can only request this after ${Math.floor(left / 1000)} seconds.`
  throw new AuthError(429, `over_${by}_send_rate_limit`, message, { retryAfter: Math.ceil(left / 1000) })
}
