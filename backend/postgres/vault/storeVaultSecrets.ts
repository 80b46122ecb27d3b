import type { Config } from '../../config/loadConfig.ts'
import type { Pool } from '../connections/pool.ts'

/**
 * Stores `[db.vault]` of config.toml in the vault. It creates missing secrets and updates secrets with another value.
 * If the value is an unset `env(NAME)`, the secret stays unchanged and a notice is logged.
 * @param pool of postgres
 */
export async function storeVaultSecrets(
  pool: Pool,
  config: Pick<Config, 'tree'>,
  notice: (sentence: string) => void,
): Promise<void> {
  const { vault = {} } = (config.tree['db'] ?? {}) as { vault?: Record<string, unknown> }
  for (const [name, value] of Object.entries(vault)) {
    if (typeof value !== 'string' || value === '') continue
    if (/^env\(\w+\)$/.test(value)) {
      notice(`[db.vault] ${name}: ${value} is not set, so the secret in the vault is unchanged.`)
      continue
    }
    try {
      await store(pool, name, value)
    } catch (error) {
      notice(`[db.vault] ${name} could not be stored in the vault: ${(error as Error).message}`)
    }
  }
}

async function store(pool: Pool, name: string, value: string): Promise<void> {
  const existing = await pool.query<{ id: string }>('select id from vault.secrets where name = $1', [name])
  const id = existing.rows[0]?.id
  if (id === undefined) {
    await pool.query('select vault.create_secret($1, $2)', [value, name])
    return
  }
  const unchanged = await pool.query(
    'select from vault.decrypted_secrets where id = $1 and decrypted_secret = $2',
    [id, value],
  )
  if (unchanged.rowCount === 0) await pool.query('select vault.update_secret($1, $2)', [id, value])
}
