import { createSigningKey, loadKeys, type AuthKeys, type StoredKeys } from '../auth/tokens/keys.ts'
import type { Config } from '../config/loadConfig.ts'
import { FileStamps } from '../runtime/FileStamps.ts'
import type { ApiKeys } from '../gateway/createGateway.ts'
import type { Logger } from '../logging/logger.ts'
import { apiKeysOf, configuredSecrets, publicSecret } from './configuredSecrets.ts'
import { loadSecrets, readSecrets, saveSigningKeys, secretsFile, type Secrets } from './secrets.ts'
import { readSigningKeysFile, signingKeysFile } from './signingKeysFile.ts'

export interface PreparedKeys {
  secrets: Secrets
  /** Always the same object: `reload` replaces its properties, so that all services use the new keys. */
  keys: AuthKeys
  apiKeys: ApiKeys
  /** Reloads the keys if their files have changed. Called by a timer, and by tests. */
  reload(): Promise<void>
  close(): void
}

const checkIntervalMs = 1_000

/**
 * The keys of an installation, from its secrets or from the file in `[auth] signing_keys_path`. Their files are checked
 * every second, so that `linnet keys` works on a running server without a signal and from any user. If they can't be
 * read, the error is logged once and the current keys remain in use.
 * @throws ConfigError if the file of the configuration is invalid
 */
export async function prepareKeys(dataDir: string, config: Config, log: Logger): Promise<PreparedKeys> {
  const secrets = configuredSecrets(loadSecrets(dataDir), config)
  secrets.signingKey ??= await createFirstKey(dataDir)
  const files = [secretsFile(dataDir), signingKeysFile(config)].filter((file) => file !== null)
  let stamps = new FileStamps(files)
  if (secrets.jwtSecret === publicSecret) {
    log.warn('auth.public_keys', {
      reason:
        'the JWT secret is the one of the official CLI, which is public: anyone who reaches this server can read all data',
    })
  }
  const keys = await loadKeys(storedKeys(secrets, config))

  const reload = async (): Promise<void> => {
    if (!stamps.hasChanged()) return
    stamps = new FileStamps(files)
    try {
      const found = await loadKeys(storedKeys(configuredSecrets(readSecrets(dataDir), config), config))
      Object.assign(keys, found)
      log.info('auth.signing_keys_reloaded', { signing: keys.signing.kid, published: keys.jwks.keys.length })
    } catch (error) {
      log.error('auth.signing_keys_reload_failed', { reason: (error as Error).message })
    }
  }
  const timer = setInterval(() => void reload(), checkIntervalMs)
  timer.unref()
  return {
    secrets,
    keys,
    apiKeys: apiKeysOf(secrets, config),
    reload,
    close: () => clearInterval(timer),
  }
}

async function createFirstKey(dataDir: string): Promise<Secrets['signingKey']> {
  const signingKey = await createSigningKey('ES256')
  saveSigningKeys(dataDir, { signingKey, standbyKey: null, previousKeys: [] })
  return signingKey
}

/** If a key file is configured, it signs instead of the server's own key, whose tokens stay valid. */
function storedKeys(secrets: Secrets, config: Config): StoredKeys {
  const { jwtSecret, standbyKey, previousKeys } = secrets
  const signingKey = secrets.signingKey!
  const previous = previousKeys.map(({ key }) => key)
  const file = signingKeysFile(config)
  if (file === null) return { jwtSecret, signingKey, standbyKey, previousKeys: previous }
  const { signing, others } = readSigningKeysFile(config, file)
  return { jwtSecret, signingKey: signing, previousKeys: [...others, signingKey, ...previous] }
}
