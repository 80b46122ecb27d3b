import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret of a client: 256 random bits. */
export function createClientSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What stands for a secret in the table. It is random, so one round of SHA-256 is enough. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Whether the secret is the one of this hash, in the same time either way. */
export function isClientSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashClientSecret(secret))
  const stored = Buffer.from(hash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
