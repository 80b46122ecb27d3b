import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool, type Pool } from '../../backend/postgres/connections/pool.ts'
import { testDatabases, type TestDatabase } from './support/testDatabases.ts'

describe.each(testDatabases)('what stands in for extensions, on $name', ({ open }) => {
  let database: TestDatabase
  let owner: Pool

  beforeAll(async () => {
    database = await open()
    owner = createPool(database.config('postgres'), { max: 1, name: 'test' })
  })
  afterAll(async () => {
    await owner?.end()
    await database?.stop()
  })

  it('stores a secret and returns it', async () => {
    await owner.query(`select vault.create_secret('s3cret', 'key')`)
    const { rows } = await owner.query<{ secret: string; decrypted_secret: string }>(
      `select secret, decrypted_secret from vault.decrypted_secrets where name = 'key'`,
    )
    expect(rows[0]!.decrypted_secret).toBe('s3cret')
    expect(Buffer.from(rows[0]!.secret, 'base64').toString('latin1')).not.toContain('s3cret')
  })

  it('queues a request, from a webhook too', async () => {
    await owner.query(`create table public.orders (id int);
      create trigger notify_order after insert on public.orders for each row execute function
        supabase_functions.http_request('http://hooks.example/new', 'POST', '{"x-from":"orders"}', '{"a":"b c"}', '2000');
      insert into public.orders values (7)`)
    const { rows } =
      await owner.query(`select method, url, headers, convert_from(body, 'UTF8')::jsonb as body,
      timeout_milliseconds from net.http_request_queue`)
    expect(rows).toEqual([
      {
        method: 'POST',
        url: 'http://hooks.example/new?a=b%20c',
        headers: { 'x-from': 'orders', 'Content-Type': 'application/json' },
        body: { type: 'INSERT', schema: 'public', table: 'orders', record: { id: 7 }, old_record: null },
        timeout_milliseconds: 2000,
      },
    ])
    await owner.query('truncate net.http_request_queue')
  })

  it('leaves the services what they own', async () => {
    await expect(owner.query('reassign owned by supabase_auth_admin to postgres')).rejects.toThrow(
      'permission denied to change owner of event trigger',
    )
  })
})
