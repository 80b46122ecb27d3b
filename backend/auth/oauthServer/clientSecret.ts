import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new client secret: 256 random bits. */
export function createClientSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a secret. Secrets are random, so one round of SHA-256 is enough. */
export function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Whether the secret matches the hash, in constant time. */
export function isClientSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashClientSecret(secret))
  const stored = Buffer.from(hash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
