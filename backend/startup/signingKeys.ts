import type { JWK } from 'jose'
import { verifyingPart } from '../auth/tokens/keys.ts'
import { StartError } from '../postgres/server/StartError.ts'

/** The keys that an installation signs with, or has. Plain JSON, kept among its secrets. */
export interface SigningKeys {
  /** Private; signs access tokens. Null until the first start. */
  signingKey: JWK | null
  /** Private; published already, signs after the next rotation. */
  standbyKey: JWK | null
  /** What has signed until `retiredAt` (ISO 8601), newest first: the part that checks tokens. */
  previousKeys: { key: JWK; retiredAt: string }[]
}

/** The standby key signs from now on, else `fresh`; the one before checks what it has signed. */
export function rotateKeys(keys: SigningKeys, fresh: JWK | null, now: Date): SigningKeys {
  const next = keys.standbyKey ?? fresh
  if (!next) throw new StartError('There is no key to rotate to.')
  const { signingKey, previousKeys } = keys
  const retired = signingKey ? [{ key: verifyingPart(signingKey), retiredAt: now.toISOString() }] : []
  return { signingKey: next, standbyKey: null, previousKeys: [...retired, ...previousKeys] }
}

/**
 * Without a key: what it has signed is refused from now on.
 * @param kid its id, or the beginning of it
 * @throws StartError with a sentence where no key, several, or the one in use is meant
 */
export function revokeKey(keys: SigningKeys, kid: string): { keys: SigningKeys; revoked: JWK } {
  const fits = (key: JWK | null): key is JWK => kid !== '' && key?.kid?.startsWith(kid) === true
  const { signingKey, standbyKey, previousKeys } = keys
  const found = [signingKey, standbyKey, ...previousKeys.map(({ key }) => key)].filter(fits)
  if (found.length > 1) throw new StartError(`Several keys begin with ${kid}. Write more of it.`)
  const revoked = found[0]
  if (!revoked) throw new StartError(`There is no key ${kid}. See "linnet keys list".`)
  if (revoked === signingKey) {
    throw new StartError('This key is in use. "linnet keys rotate" puts another in its place first.')
  }
  return {
    revoked,
    keys: {
      signingKey,
      standbyKey: revoked === standbyKey ? null : standbyKey,
      previousKeys: previousKeys.filter(({ key }) => key !== revoked),
    },
  }
}
