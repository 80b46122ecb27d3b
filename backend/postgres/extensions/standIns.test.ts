import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryPostgres, type TemporaryPostgres } from '../server/temporaryPostgres.ts'
import type { Pool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'

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

it.each([
  [
    'net',
    'http_get',
    `url text, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{}'::jsonb, timeout_milliseconds integer DEFAULT 5000`,
    'bigint',
  ],
  [
    'net',
    'http_post',
    `url text, body jsonb DEFAULT '{}'::jsonb, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{"Content-Type": "application/json"}'::jsonb, timeout_milliseconds integer DEFAULT 5000`,
    'bigint',
  ],
  [
    'net',
    'http_delete',
    `url text, params jsonb DEFAULT '{}'::jsonb, headers jsonb DEFAULT '{}'::jsonb, timeout_milliseconds integer DEFAULT 5000, body jsonb DEFAULT NULL::jsonb`,
    'bigint',
  ],
  [
    'net',
    'http_collect_response',
    'request_id bigint, async boolean DEFAULT true',
    'net.http_response_result',
  ],
  [
    'net',
    '_http_collect_response',
    'request_id bigint, async boolean DEFAULT true',
    'net.http_response_result',
  ],
  ['net', '_await_response', 'request_id bigint', 'boolean'],
  ['net', '_urlencode_string', 'string character varying', 'text'],
  ['net', '_encode_url_with_params_array', 'url text, params_array text[]', 'text'],
  ['net', 'check_worker_is_up', '', 'void'],
  ['net', 'wait_until_running', '', 'void'],
  ['net', 'worker_restart', '', 'boolean'],
  ['net', 'wake', '', 'void'],
  [
    'vault',
    'create_secret',
    `new_secret text, new_name text DEFAULT NULL::text, new_description text DEFAULT ''::text, new_key_id uuid DEFAULT NULL::uuid`,
    'uuid',
  ],
  [
    'vault',
    'update_secret',
    'secret_id uuid, new_secret text DEFAULT NULL::text, new_name text DEFAULT NULL::text, new_description text DEFAULT NULL::text, new_key_id uuid DEFAULT NULL::uuid',
    'void',
  ],
  [
    'vault',
    '_crypto_aead_det_decrypt',
    `message bytea, additional bytea, key_id bigint, context bytea DEFAULT '\\x7067736f6469756d'::bytea, nonce bytea DEFAULT NULL::bytea`,
    'bytea',
  ],
])('has %s.%s as upstream declares it', async (schema, name, args, result) => {
  const { rows } = await owner.query(
    `select pg_get_function_arguments(oid) as args, pg_get_function_result(oid) as result from pg_proc
     where pronamespace = $1::regnamespace and proname = $2`,
    [schema, name],
  )
  expect(rows).toEqual([{ args, result }])
})

it.each([
  [
    'net',
    'http_request_queue',
    [
      'id bigint',
      'method net.http_method',
      'url text',
      'headers jsonb',
      'body bytea',
      'timeout_milliseconds integer',
    ],
  ],
  [
    'net',
    '_http_response',
    [
      'id bigint',
      'status_code integer',
      'content_type text',
      'headers jsonb',
      'content text',
      'timed_out boolean',
      'error_msg text',
      'created timestamp with time zone',
    ],
  ],
  [
    'vault',
    'secrets',
    [
      'id uuid',
      'name text',
      'description text',
      'secret text',
      'key_id uuid',
      'nonce bytea',
      'created_at timestamp with time zone',
      'updated_at timestamp with time zone',
    ],
  ],
  [
    'vault',
    'decrypted_secrets',
    [
      'id uuid',
      'name text',
      'description text',
      'secret text',
      'decrypted_secret text',
      'key_id uuid',
      'nonce bytea',
      'created_at timestamp with time zone',
      'updated_at timestamp with time zone',
    ],
  ],
  [
    'supabase_functions',
    'hooks',
    [
      'id bigint',
      'hook_table_id integer',
      'hook_name text',
      'created_at timestamp with time zone',
      'request_id bigint',
    ],
  ],
])('has the columns of %s.%s', async (schema, table, columns) => {
  const { rows } = await owner.query<{ name: string }>(
    `select format('%s %s', attname, format_type(atttypid, atttypmod)) as name from pg_attribute
     where attrelid = format('%I.%I', $1::text, $2::text)::regclass and attnum > 0 and not attisdropped order by attnum`,
    [schema, table],
  )
  expect(rows.map(({ name }) => name)).toEqual(columns)
})

it('lets a project pass on what it was given, and drop what it does not want', async () => {
  await owner.transaction(async (client) => {
    await client.query(`create role reporter; grant reporter to postgres;
      grant usage on schema net, vault to reporter;
      grant select on net._http_response, vault.decrypted_secrets to reporter;
      grant execute on function vault._crypto_aead_det_decrypt to reporter;
      set local role reporter;
      select * from vault.decrypted_secrets;
      select * from net._http_response;
      reset role`)
    await client.query(`select linnet_platform.drop_extension('pg_net', true)`)
    const { rows } = await client.query(`select to_regnamespace('net') as net`)
    expect(rows).toEqual([{ net: null }])
    await client.query(`create schema net; select linnet_platform.drop_extension('supabase_vault', false)`)
  })
  // A project's own schema of that name stays its own.
  const admin = postgres.pool('supabase_admin', 1)
  await admin.query(`update linnet_platform.files set digest = '' where name = '60_extensions.sql'`)
  await migratePlatform(admin)
  const { rows } = await owner.query(
    `select extname from pg_extension where extname in ('pg_net', 'supabase_vault')`,
  )
  expect(rows).toEqual([])
})
