import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { JWK } from 'jose'
import { signingAlgorithms } from '../auth/tokens/keys.ts'
import { ConfigError, type Config } from '../config/loadConfig.ts'

/** Where `[auth] signing_keys_path` leads, from the supabase folder on; null where it says nothing. */
export function signingKeysFile(config: Config): string | null {
  const path = config.at('auth.signing_keys_path', '')
  if (path === '') return null
  return isAbsolute(path) ? path : join(config.dir, path)
}

/**
 * The keys of such a file, which `supabase gen signing-key` writes: a list of private JWKs. The first that may sign
 * does; the others check tokens. Throws ConfigError with a sentence, in which no part of a key stands.
 */
export function readSigningKeysFile(file: string): { signing: JWK; others: JWK[] } {
  const refuse = (why: string): never => {
    throw new ConfigError(`auth.signing_keys_path: ${file} ${why}`)
  }
  let keys: unknown
  try {
    keys = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse(code === undefined ? 'is no JSON' : `can't be read (${code})`)
  }
  if (!Array.isArray(keys)) return refuse('must hold a list of keys (JWKs)')
  const list = keys as JWK[]
  for (const [at, key] of list.entries()) {
    if (!key?.kid) refuse(`has no "kid" in its key ${at + 1}`)
    if (!signingAlgorithms.some((alg) => alg === key.alg)) {
      refuse(`has an "alg" other than ES256, RS256 and HS256 in its key ${at + 1}`)
    }
  }
  const signing = list.find((key) => (key.d ?? key.k) && key.key_ops?.includes('sign') !== false)
  if (!signing) return refuse('has no private key that may sign')
  return { signing, others: list.filter((key) => key !== signing) }
}
