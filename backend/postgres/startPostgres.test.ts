import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asCaller } from './asCaller.ts'
import { migratePlatform } from './migratePlatform.ts'
import { createPool, type Pool } from './pool.ts'
import { startPostgres, type Postgres } from './startPostgres.ts'

let postgres: Postgres
let pool: Pool
const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
beforeAll(async () => {
  postgres = await startPostgres({ dataDir })
  const admin = createPool(postgres.config('supabase_admin'), { max: 1, name: 'setup' })
  await migratePlatform(admin)
  await admin.end()
  pool = createPool(postgres.config('authenticator'), { max: 4, name: 'test' })
})
afterAll(async () => {
  await pool?.end()
  await postgres?.stop()
  rmSync(dataDir, { recursive: true })
})

test('a caller has role and claims for one transaction', async () => {
  const claims = { role: 'anon', sub: 'x' }
  const [result] = await asCaller(
    pool,
    { caller: { role: 'anon', claims, claimsJson: JSON.stringify(claims) } },
    [{ text: `select current_user as who, current_setting('request.jwt.claims')::jsonb ->> 'sub' as sub` }],
  )
  expect(result!.rows).toEqual([{ who: 'anon', sub: 'x' }])
  expect((await pool.query('select current_user as who')).rows).toEqual([{ who: 'authenticator' }])
})
