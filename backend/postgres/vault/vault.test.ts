import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool, type Pool } from '../connections/pool.ts'
import { backUpData } from '../server/backUpData.ts'
import { startPostgres } from '../server/startPostgres.ts'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'
import { storeVaultSecrets } from './storeVaultSecrets.ts'

let postgres: TemporaryPostgres
let owner: Pool
let admin: Pool

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres', 1)
  admin = postgres.pool('supabase_admin', 1)
})
afterAll(() => rmSync(postgres.dataDir, { recursive: true, force: true }))

const secretOf = async (name: string, pool = owner): Promise<unknown> =>
  (
    await pool.query<{ decrypted_secret: string }>(
      'select decrypted_secret from vault.decrypted_secrets where name = $1',
      [name],
    )
  ).rows[0]?.decrypted_secret

const refusal = (sql: string, pool = owner): Promise<string> =>
  pool
    .withClient(async (client) => {
      await client.query('begin')
      await client.query(sql)
      return 'none'
    })
    .catch((error: Error) => error.message)

it('makes, changes, lists and deletes secrets, as upstream', async () => {
  const { rows } = await owner.query<{ id: string }>(
    `select vault.create_secret('one', 'first', 'of two') as id`,
  )
  await owner.query(`select vault.create_secret(new_secret := '', new_name := 'empty')`)
  expect(await secretOf('first')).toBe('one')
  expect(await secretOf('empty')).toBe('')
  await owner.query(`select vault.update_secret($1, new_secret := 'ünö', new_description := 'changed')`, [
    rows[0]!.id,
  ])
  const changed = await owner.query(
    'select name, description, decrypted_secret from vault.decrypted_secrets where id = $1',
    [rows[0]!.id],
  )
  expect(changed.rows).toEqual([{ name: 'first', description: 'changed', decrypted_secret: 'ünö' }])
  expect(await refusal(`select vault.create_secret('two', 'first')`)).toContain('duplicate key')
  await owner.query(`delete from vault.secrets where name = 'empty'`)
  expect(await secretOf('empty')).toBeUndefined()
})

it('stores neither plaintext nor equal ciphertexts for equal secrets', async () => {
  await owner.query(`select vault.create_secret('the same secret') from generate_series(1, 2)`)
  const { rows: kept } = await owner.query<{ secret: string; nonce: string }>(
    'select secret, nonce::text from vault.secrets where name is null',
  )
  expect(new Set(kept.map(({ secret }) => secret)).size).toBe(2)
  expect(new Set(kept.map(({ nonce }) => nonce)).size).toBe(2)
  for (const { secret } of kept) {
    expect(Buffer.from(secret, 'base64').toString('latin1')).not.toContain('same')
  }
  await owner.query('delete from vault.secrets where name is null')
})

it('gives back nothing that was changed or put in the place of another', async () => {
  const flip = `update vault.secrets set secret =
    encode(set_byte(decode(secret, 'base64'), $1, get_byte(decode(secret, 'base64'), $1) # 1), 'base64')`
  await owner.query(`select vault.create_secret('moved', 'second')`)
  // The first byte of the ciphertext, the first of the tag.
  for (const at of [0, 16]) {
    expect(
      await refusal(`${flip.replaceAll('$1', String(at))}; select * from vault.decrypted_secrets`, admin),
    ).toBe('invalid ciphertext')
  }
  const swap = `update vault.secrets a set secret = b.secret, nonce = b.nonce from vault.secrets b
    where a.name = 'first' and b.name = 'second'; select decrypted_secret from vault.decrypted_secrets`
  expect(await refusal(swap, admin)).toBe('invalid ciphertext')
})

it('only postgres and service_role can read the vault, and neither can read its key', async () => {
  for (const role of ['anon', 'authenticated']) {
    expect(await refusal(`set local role ${role}; select * from vault.decrypted_secrets`)).toContain(
      'permission denied',
    )
    expect(await refusal(`set local role ${role}; select vault.create_secret('x')`)).toContain(
      'permission denied',
    )
  }
  expect(await refusal('set local role service_role; select * from vault.decrypted_secrets')).toBe('none')
  for (const sql of [
    'select linnet_platform.vault_key()',
    `select pg_read_file('linnet-vault.key')`,
    `select vault._derive_key('encrypt', 0, 'pgsodium')`,
    `select vault._crypto_aead_det_encrypt('x', 'y', 0)`,
    `insert into vault.secrets (secret) values ('plain')`,
    `update vault.secrets set secret = 'plain'`,
    `create function vault.mine() returns int language sql as 'select 1'`,
  ]) {
    expect(await refusal(sql)).toContain('permission denied')
  }
  expect(await refusal('truncate vault.secrets')).toBe('none')
})

it('stores the secrets of config.toml once and leaves unset ones unchanged', async () => {
  const notices: string[] = []
  const store = (vault: Record<string, unknown>): Promise<void> =>
    storeVaultSecrets(owner, { tree: { db: { vault } } }, (notice) => notices.push(notice))
  await store({ api_key: 'k1', unset: 'env(NOBODY_HAS_SET_THIS)' })
  expect(await secretOf('api_key')).toBe('k1')
  expect(await secretOf('unset')).toBeUndefined()
  expect(notices).toEqual([
    '[db.vault] unset: env(NOBODY_HAS_SET_THIS) is not set, so the secret in the vault is unchanged.',
  ])
  const written = async (): Promise<unknown> =>
    (await owner.query(`select xmin::text, nonce from vault.secrets where name = 'api_key'`)).rows[0]
  const before = await written()
  await store({ api_key: 'k1' })
  expect(await written()).toEqual(before)
  await store({ api_key: 'k2' })
  expect(await secretOf('api_key')).toBe('k2')
  expect(await written()).not.toEqual(before)
})

it('keeps its key over restarts and in copies, readable by PostgreSQL alone', async () => {
  const file = join(postgres.dataDir, 'postgres', 'linnet-vault.key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await postgres.stopKeepingData()
  const copy = await backUpData(postgres.dataDir)
  expect(readFileSync(join(copy, 'postgres', 'linnet-vault.key'))).toEqual(readFileSync(file))
  const again = await startPostgres({ dataDir: postgres.dataDir })
  const pool = createPool(again.config('postgres'), { max: 1, name: 'test' })
  expect(await secretOf('api_key', pool)).toBe('k2')
  await pool.end()
  await again.stop()
})
