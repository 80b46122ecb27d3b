import { existsSync } from 'node:fs'
import { loadConfig } from '../config/loadConfig.ts'
import { loadSecrets, saveSigningKeys, secretsFile } from '../startup/secrets.ts'
import type { SigningKeys } from '../startup/signingKeys.ts'
import { signingKeysFile } from '../startup/signingKeysFile.ts'
import { UsageError } from './UsageError.ts'

/** The signing keys of these data. Throws UsageError where no house was ever started on them. */
export function openKeys(dataDir: string): SigningKeys {
  const keys = existsSync(secretsFile(dataDir)) ? loadSecrets(dataDir) : null
  if (!keys?.signingKey) throw new UsageError(`There are no keys in ${dataDir}: a first start makes them.`)
  return keys
}

/** Keeps changed keys. Throws UsageError where a file of the project says which keys there are. */
export function changeKeys(
  o: { dataDir: string; supabaseDir: string },
  change: (keys: SigningKeys) => SigningKeys,
): SigningKeys {
  const file = signingKeysFile(loadConfig(o.supabaseDir))
  if (file !== null) {
    throw new UsageError(
      `The keys of this project are those of ${file}, as signing_keys_path says: change them there. The first one signs.`,
    )
  }
  const changed = change(openKeys(o.dataDir))
  saveSigningKeys(o.dataDir, changed)
  return changed
}

/** What follows each change. */
export const takenUp = 'A house that runs takes it up within a second.'
