import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Config } from '../../config/loadConfig.ts'
import { configuredSize } from '../../config/configuredSize.ts'
import { requireAllowableTypes } from '../mimeType.ts'
import { requireBucketName } from '../names.ts'
import { serviceCaller } from '../Storage.ts'

/** The values that `[storage.buckets.<name>]` declares. Throws ConfigError where they are invalid. */
function readDeclared(config: Config, name: string): unknown[] {
  const at = `storage.buckets.${name}`
  const types = config.at(`${at}.allowed_mime_types`, [] as string[])
  try {
    requireBucketName(name)
    requireAllowableTypes(types)
  } catch (error) {
    throw config.errorAt(at, `is invalid: ${(error as Error).message}`)
  }
  const hasSize = config.at(`${at}.file_size_limit`, '') !== ''
  return [
    name,
    config.at(`${at}.public`, false),
    hasSize ? configuredSize(config, `${at}.file_size_limit`, '') : null,
    types.length > 0 ? types : null,
  ]
}

/**
 * Creates the buckets that `[storage.buckets.<name>]` declares, and updates existing ones to the
 * declared properties, in one transaction. Throws ConfigError on an invalid declaration.
 */
export async function declareBuckets(pool: Pool, config: Config): Promise<void> {
  const section = (config.tree['storage'] as { buckets?: unknown } | undefined)?.buckets ?? {}
  if (typeof section !== 'object') throw config.errorAt('storage.buckets', 'must be a table')
  const declared = Object.keys(section as object).map((name) => readDeclared(config, name))
  if (declared.length === 0) return
  const text = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
    values ($1, $1, $2, $3, $4)
    on conflict (id) do update set public = excluded.public,
      file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types`
  await runAsCaller(
    pool,
    { caller: serviceCaller },
    declared.map((values) => ({ text, values })),
  )
}
