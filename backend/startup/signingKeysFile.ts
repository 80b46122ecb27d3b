import { readFileSync } from 'node:fs'
import type { JWK } from 'jose'
import { signingAlgorithms } from '../auth/tokens/keys.ts'
import type { Config } from '../config/loadConfig.ts'

/** The path in `[auth] signing_keys_path`, relative to the supabase folder or to linnet.toml of the data directory; null if it is not set. */
export function signingKeysFile(config: Config): string | null {
  const path = config.at('auth.signing_keys_path', '')
  if (path === '') return null
  return config.resolveFile('auth.signing_keys_path', path, config.dir)
}

/**
 * The keys of a file that `supabase gen signing-key` writes: a list of private JWKs. The first that can sign does; the
 * others verify tokens. Throws ConfigError, whose message contains no part of a key.
 */
export function readSigningKeysFile(config: Config, file: string): { signing: JWK; others: JWK[] } {
  const fail = (why: string): never => {
    throw config.errorAt('auth.signing_keys_path', `names ${file}, which ${why}`)
  }
  let keys: unknown
  try {
    keys = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(code === undefined ? 'is not JSON' : `can't be read (${code})`)
  }
  if (!Array.isArray(keys)) return fail('must contain a list of keys (JWKs)')
  const list = keys as JWK[]
  for (const [at, key] of list.entries()) {
    if (!key?.kid) fail(`has no "kid" in its key ${at + 1}`)
    if (!signingAlgorithms.some((alg) => alg === key.alg)) {
      fail(`has an "alg" other than ES256, RS256 and HS256 in its key ${at + 1}`)
    }
  }
  const signing = list.find((key) => (key.d ?? key.k) && key.key_ops?.includes('sign') !== false)
  if (!signing) return fail('has no private key that can sign')
  return { signing, others: list.filter((key) => key !== signing) }
}
