import type { JWK } from 'jose'
import { verifyingJwkOf } from '../auth/tokens/keys.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { commandName } from '../runtime/commandName.ts'

/** The signing keys of an installation. Plain JSON, stored in its secrets. */
export interface SigningKeys {
  /** Private; signs access tokens. Null until the first start. */
  signingKey: JWK | null
  /** Private; already published, signs after the next rotation. */
  standbyKey: JWK | null
  /** Keys that signed until `retiredAt` (ISO 8601), newest first, without their private parts. */
  previousKeys: { key: JWK; retiredAt: string }[]
}

/** The standby key, else `newKey`, becomes the signing key; the one before still verifies its tokens. */
export function rotateKeys(keys: SigningKeys, newKey: JWK | null, now: Date): SigningKeys {
  const next = keys.standbyKey ?? newKey
  if (!next) throw new StartError('There is no key to rotate to.')
  const { signingKey, previousKeys } = keys
  const retired = signingKey ? [{ key: verifyingJwkOf(signingKey), retiredAt: now.toISOString() }] : []
  return { signingKey: next, standbyKey: null, previousKeys: [...retired, ...previousKeys] }
}

/**
 * Removes a key, so that its tokens are refused.
 * @param kid its id, or the beginning of it
 * @throws StartError if `kid` matches no key, several, or the key in use
 */
export function revokeKey(keys: SigningKeys, kid: string): { keys: SigningKeys; revoked: JWK } {
  const isMatch = (key: JWK | null): key is JWK => kid !== '' && key?.kid?.startsWith(kid) === true
  const { signingKey, standbyKey, previousKeys } = keys
  const found = [signingKey, standbyKey, ...previousKeys.map(({ key }) => key)].filter(isMatch)
  if (found.length > 1) throw new StartError(`Several keys start with ${kid}. Write more of the id.`)
  const revoked = found[0]
  if (!revoked) throw new StartError(`There is no key ${kid}. See "${commandName()} keys list".`)
  if (revoked === signingKey) {
    throw new StartError(`This key is in use. Replace it first with "${commandName()} keys rotate".`)
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
