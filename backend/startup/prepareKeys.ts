import {
  createSigningKey,
  issueLegacyKey,
  loadKeys,
  type AuthKeys,
  type StoredKeys,
} from '../auth/tokens/keys.ts'
import type { Config } from '../config/loadConfig.ts'
import { FileStamps } from '../FileStamps.ts'
import type { ApiKeys } from '../gateway/createGateway.ts'
import type { Logger } from '../logging/logger.ts'
import { loadSecrets, readSecrets, saveSigningKeys, secretsFile, type Secrets } from './secrets.ts'
import { readSigningKeysFile, signingKeysFile } from './signingKeysFile.ts'

export interface PreparedKeys {
  secrets: Secrets
  /** Of one identity: what `look` finds takes the place of its members, for everyone who holds it. */
  keys: AuthKeys
  apiKeys: ApiKeys
  /** Takes up keys that were exchanged on disk. For the timer, and for tests. */
  look(): Promise<void>
  close(): void
}

const lookEvery = 1_000

/**
 * The keys of an installation: what the secrets hold, or the file of `[auth] signing_keys_path`, and what derives
 * from them. They are looked at each second, so that `linnet keys` works on a house that runs, without a signal and
 * whoever runs it. Keys on disk that can't be read are logged once, and those in use kept.
 * @throws ConfigError where the file of the configuration can't be used
 */
export async function prepareKeys(dataDir: string, config: Config, log: Logger): Promise<PreparedKeys> {
  const secrets = loadSecrets(dataDir)
  secrets.signingKey ??= await makeFirst(dataDir)
  const files = [secretsFile(dataDir), signingKeysFile(config)].filter((file) => file !== null)
  let stamps = new FileStamps(files)
  const { jwtSecret, publishableKey, secretKey } = secrets
  const keys = await loadKeys(storedKeys(secrets, config))

  const look = async (): Promise<void> => {
    if (!stamps.hasChanged()) return
    stamps = new FileStamps(files)
    try {
      const found = await loadKeys(storedKeys(readSecrets(dataDir), config))
      Object.assign(keys, found)
      log.info('signing keys taken up', { signing: keys.signing.kid, published: keys.jwks.keys.length })
    } catch (error) {
      log.error('signing keys could not be taken up', { reason: (error as Error).message })
    }
  }
  const timer = setInterval(() => void look(), lookEvery)
  timer.unref()
  return {
    secrets,
    keys,
    apiKeys: {
      anonKey: issueLegacyKey(jwtSecret, 'anon'),
      serviceRoleKey: issueLegacyKey(jwtSecret, 'service_role'),
      publishableKey,
      secretKey,
    },
    look,
    close: () => clearInterval(timer),
  }
}

async function makeFirst(dataDir: string): Promise<Secrets['signingKey']> {
  const signingKey = await createSigningKey('ES256')
  saveSigningKeys(dataDir, { signingKey, standbyKey: null, previousKeys: [] })
  return signingKey
}

/** A file of keys signs in place of the house's own, whose tokens stay good: nobody is signed out by the change. */
function storedKeys(secrets: Secrets, config: Config): StoredKeys {
  const { jwtSecret, standbyKey, previousKeys } = secrets
  const signingKey = secrets.signingKey!
  const previous = previousKeys.map(({ key }) => key)
  const file = signingKeysFile(config)
  if (file === null) return { jwtSecret, signingKey, standbyKey, previousKeys: previous }
  const { signing, others } = readSigningKeysFile(file)
  return { jwtSecret, signingKey: signing, previousKeys: [...others, signingKey, ...previous] }
}
