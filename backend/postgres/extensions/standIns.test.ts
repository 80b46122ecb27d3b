import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'
import type { Pool } from '../connections/pool.ts'

let postgres: TemporaryPostgres
let owner: Pool

beforeAll(async () => {
  postgres = await temporaryPostgres()
  owner = postgres.pool('postgres')
})
afterAll(() => postgres.stop())

it('offers each stand-in under the name and version of upstream', async () => {
  const { rows } = await owner.query(
    `select name, default_version from pg_available_extensions
     where name in ('pgjwt', 'pg_net', 'supabase_vault') order by name`,
  )
  expect(rows).toEqual([
    { name: 'pg_net', default_version: '0.20.4' },
    { name: 'pgjwt', default_version: '0.2.0' },
    { name: 'supabase_vault', default_version: '0.3.1' },
  ])
})

it('keeps the scripts from the user of PostgreSQL, whose superuser runs them', () => {
  const folder = join(postgres.dataDir, 'extensions', 'extension')
  expect(statSync(folder).mode & 0o022).toBe(0)
  expect(statSync(join(folder, 'pgjwt.control')).mode & 0o777).toBe(0o644)
})

it('signs and verifies tokens as pgjwt does', async () => {
  await owner.query(`select linnet_platform.create_extension('pgjwt', 'extensions', null, false)`)
  // The token that jwt.io shows.
  const { rows } = await owner.query<{ token: string }>(
    `select extensions.sign('{"sub":"1234567890","name":"John Doe","iat":1516239022}', 'secret') as token`,
  )
  expect(rows[0]!.token).toBe(
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.XbPfbIHMI6arZ3Y922BhjWgQzWXcXNrz0ogtVhfEd2o',
  )
  const verified = async (token: string, secret: string): Promise<unknown> =>
    (await owner.query('select * from extensions.verify($1, $2)', [token, secret])).rows[0]
  expect(await verified(rows[0]!.token, 'secret')).toEqual({
    header: { alg: 'HS256', typ: 'JWT' },
    payload: { sub: '1234567890', name: 'John Doe', iat: 1516239022 },
    valid: true,
  })
  expect(await verified(rows[0]!.token, 'other')).toMatchObject({ valid: false })
  const expired = await owner.query(
    `select valid from extensions.verify(extensions.sign('{"exp":1}', 'secret', 'HS512'), 'secret', 'HS512')`,
  )
  expect(expired.rows).toEqual([{ valid: false }])
})
