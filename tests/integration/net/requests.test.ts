import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf } from '../../support/people.ts'
import { openTarget, type Arrived, type Target } from './target.ts'

let backend: Backend
let db: Client
let target: Target
let other: Target
let dir: string
/** Responses that a test delays. */
const heldResponses: ServerResponse[] = []

function respond({ url }: Arrived, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://target')
  if (pathname === '/held') heldResponses.push(response)
  else if (pathname === '/hang') response.flushHeaders()
  else if (pathname === '/nothing') response.destroy()
  else if (pathname === '/status') response.writeHead(Number(searchParams.get('code'))).end()
  else if (pathname === '/redirect') {
    response.writeHead(Number(searchParams.get('code')), { Location: searchParams.get('to')! }).end()
  } else if (pathname === '/large') response.end(Buffer.alloc(6 * 1024 * 1024, 'x'))
  else if (pathname === '/bytes') response.end(Buffer.from([0x61, 0xff, 0x62, 0x00, 0x63]))
  else response.writeHead(201, { 'Content-Type': 'application/json', 'X-Seen': 'yes' }).end('{"a":1}')
}

beforeAll(async () => {
  target = await openTarget(respond)
  other = await openTarget()
  dir = mkdtempSync(join(tmpdir(), 'linnet-supabase-'))
  mkdirSync(join(dir, 'migrations'))
  writeFileSync(
    join(dir, 'config.toml'),
    `[pg_net]\nallowed = ["127.0.0.1:${target.port}", "localhost:${other.port}", "127.0.0.1:9"]\n[db.vault]\nhook = "from config.toml"\n`,
  )
  writeFileSync(
    join(dir, 'migrations', '1_hooks.sql'),
    `create extension if not exists "pg_net" with schema "extensions" version '0.7.1';
     create table public.orders (id int primary key, note text);
     create trigger registered after insert on auth.users for each row
       execute function supabase_functions.http_request('http://127.0.0.1:${target.port}/user', 'GET');
     create table public.known as select decrypted_secret from vault.decrypted_secrets where name = 'hook';
     grant all on public.orders to service_role;
     create trigger order_changes after insert or update or delete on public.orders for each row
       execute function supabase_functions.http_request(
         'http://127.0.0.1:${target.port}/hook', 'POST', '{"Content-Type":"application/json","X-Hook":"orders"}',
         '{}', '5000');`,
  )
  backend = await startBackend({ supabase: dir })
  db = new Client(backend.dbUrl)
  await db.connect()
})
beforeEach(() => {
  target.arrived.length = 0
  other.arrived.length = 0
  heldResponses.length = 0
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
  await target?.close()
  await other?.close()
  rmSync(dir, { recursive: true, force: true })
})

/** Queues a request by `call`, an SQL expression, and waits for its row. */
async function enqueue(call: string): Promise<Record<string, unknown>> {
  const { rows } = await db.query<{ id: string }>(`select ${call} as id`)
  await db.query('select net._await_response($1)', [rows[0]!.id])
  const answered = await db.query('select * from net._http_response where id = $1', [rows[0]!.id])
  return answered.rows[0] as Record<string, unknown>
}
const responses = (requests: { id: string }[]): Promise<unknown> =>
  db.query('select net._await_response(id) from unnest($1::bigint[]) as id', [requests.map(({ id }) => id)])
const at = (path: string): string => `http://127.0.0.1:${target.port}${path}`

describe('requests', () => {
  it('are sent with parameters, headers and bodies as by pg_net', async () => {
    await enqueue(`net.http_get('${at('/things?x=1')}', '{"q":"a b&c","é":"ü"}', '{"X-One":"1"}')`)
    await enqueue(
      `net.http_post('${at('/things')}', '{"hello":"world"}', headers := '{"Authorization":"Bearer t"}')`,
    )
    await enqueue(`net.http_delete('${at('/things/1')}', body := '{"why":"old"}')`)
    expect(target.arrived.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
      { method: 'GET', url: '/things?x=1&q=a%20b%26c&%C3%A9=%C3%BC', body: '' },
      { method: 'POST', url: '/things', body: '{"hello": "world"}' },
      { method: 'DELETE', url: '/things/1', body: '{"why": "old"}' },
    ])
    expect(target.arrived[0]!.headers).toMatchObject({ 'x-one': '1', 'user-agent': 'pg_net/0.20.4' })
    expect(target.arrived[1]!.headers).toMatchObject({
      authorization: 'Bearer t',
      'content-type': 'application/json',
    })
  })

  it('are refused immediately if pg_net refuses them immediately', async () => {
    const refusal = (call: string): Promise<string> =>
      db.query(`select ${call}`).then(
        () => 'none',
        (error: Error) => error.message,
      )
    expect(await refusal(`net.http_get('localhost:6666')`)).toBe(
      'invalid URL "localhost:6666": Unsupported URL scheme',
    )
    expect(await refusal(`net.http_get('/malformed_url')`)).toBe('invalid URL "/malformed_url": Bad scheme')
    expect(await refusal(`net.http_get(null)`)).toMatch('null value in column "url"')
    expect(
      await refusal(`net.http_post('http://a.example', headers := '{"Content-Type":"text/plain"}')`),
    ).toBe('Content-Type header must be "application/json"')
    expect(await refusal(`net.http_get(e'http://a.example/\\n')`)).toMatch('Malformed input')
    const { rows } = await db.query(
      'select net._encode_url_with_params_array(null, null) as url, net._urlencode_string(null) as text',
    )
    expect(rows).toEqual([{ url: null, text: null }])
  })

  it('cannot contain headers that split a request or select another server', async () => {
    await enqueue(
      `net.http_get('${at('/')}', headers := '{"Host":"other.example","Content-Length":"7","X-None":null}')`,
    )
    expect(target.arrived[0]!.headers).toMatchObject({ host: `127.0.0.1:${target.port}` })
    expect(target.arrived[0]!.headers).not.toHaveProperty('x-none')
    const split = await enqueue(`net.http_get('${at('/')}', headers := '{"X-A":"1\\r\\nX-B: 2"}')`)
    expect(split).toMatchObject({
      status_code: null,
      error_msg: expect.stringContaining('characters') as string,
    })
    expect(target.arrived).toHaveLength(1)
  })
})

describe('responses', () => {
  it('are stored with status, type, headers and text, whatever the status', async () => {
    expect(await enqueue(`net.http_get('${at('/')}')`)).toMatchObject({
      status_code: 201,
      content_type: 'application/json',
      headers: { 'Content-Type': 'application/json', 'X-Seen': 'yes' },
      content: '{"a":1}',
      timed_out: false,
      error_msg: null,
    })
    expect(await enqueue(`net.http_get('${at('/status?code=500')}')`)).toMatchObject({
      status_code: 500,
      content: null,
      error_msg: null,
    })
    expect(await enqueue(`net.http_get('${at('/bytes')}')`)).toMatchObject({ content: 'a\ufffdb' })
  })

  it('are replaced by the error message of curl', async () => {
    const timeout = await enqueue(`net.http_get('${at('/hang')}', timeout_milliseconds := 150)`)
    expect(timeout).toMatchObject({ status_code: null, content: null, headers: null, timed_out: true })
    expect(timeout['error_msg']).toMatch(
      /^Timeout of 150 ms reached\. Total time: [\d.]+ ms \(DNS time: [\d.]+ ms, TCP\/SSL handshake time: [\d.]+ ms, HTTP Request\/Response time: [\d.]+ ms\)$/,
    )
    // Without a network, the failure of a DNS lookup takes longer than the default timeout.
    const reason = async (url: string): Promise<unknown> =>
      (await enqueue(`net.http_get('${url}', timeout_milliseconds := 120000)`))['error_msg']
    expect(await reason(at('/nothing'))).toBe('Server returned nothing (no headers, no data)')
    expect(await reason('http://127.0.0.1:9/')).toBe("Couldn't connect to server")
    expect(await reason('http://nobody.invalid/')).toBe("Couldn't resolve host name")
    expect(await reason(`https://127.0.0.1:${target.port}/`)).toBe('SSL connect error')
    expect(await reason(at('/large'))).toBe('The response is larger than 5 MiB')
    const collected = await db.query(`select (net._http_collect_response(-1)).*`)
    expect(collected.rows).toEqual([
      { status: 'ERROR', message: 'request matching request_id not found', response: null },
    ])
  })

  it('of redirects are followed without credentials for another origin, up to a limit', async () => {
    const to = encodeURIComponent(`http://localhost:${other.port}/there`)
    const post = (path: string): string =>
      `net.http_post('${at(path)}', '{"a":1}', headers := '{"Authorization":"secret","X-Plain":"yes"}')`
    expect(await enqueue(post(`/redirect?code=302&to=${to}`))).toMatchObject({
      status_code: 200,
      content: 'ok',
    })
    expect(other.arrived[0]).toMatchObject({ method: 'GET', url: '/there', body: '' })
    expect(other.arrived[0]!.headers).toMatchObject({ 'x-plain': 'yes' })
    expect(other.arrived[0]!.headers).not.toHaveProperty('authorization')
    await enqueue(post(`/redirect?code=307&to=%2Fhere`))
    expect(target.arrived.at(-1)).toMatchObject({ method: 'POST', url: '/here', body: '{"a": 1}' })
    expect(target.arrived.at(-1)!.headers).toMatchObject({ authorization: 'secret' })
    const round = encodeURIComponent('/redirect?code=301&to=' + encodeURIComponent('/'))
    expect(await enqueue(`net.http_get('${at(`/redirect?code=301&to=${round}`)}')`)).toMatchObject({
      status_code: 201,
    })
    const closed = encodeURIComponent(`http://127.0.0.1:${other.port}/`)
    expect(await enqueue(`net.http_get('${at(`/redirect?code=302&to=${closed}`)}')`)).toMatchObject({
      status_code: null,
      error_msg: expect.stringContaining('refused') as string,
    })
    expect(other.arrived).toHaveLength(1)
  })
})

describe('this server', () => {
  it('is reached by the host name of a local project', async () => {
    const answered = await enqueue(
      `net.http_get('http://kong:8000/rest/v1/orders?select=id', headers := '{"apikey":"${backend.secretKey}"}')`,
    )
    expect(answered).toMatchObject({ status_code: 200, content: '[]' })
  })

  it('does not treat a request of the database as local', async () => {
    const page = new URL(backend.metrics)
    expect((await fetch(page)).status).toBe(200)
    for (const headers of ['{}', '{"Host":"localhost","Via":null}']) {
      const answered = await enqueue(
        `net.http_get('http://localhost:54321${page.pathname}', headers := '${headers}')`,
      )
      expect(answered['status_code']).not.toBe(200)
    }
  })
})

describe('the queue', () => {
  it('sends each request once, whatever their number, also those of one transaction', async () => {
    const { rows } = await db.query<{ id: string }>(
      `select net.http_get('${at('/n/')}' || n) as id from generate_series(1, 300) as n`,
    )
    await responses(rows)
    expect(new Set(target.arrived.map(({ url }) => url)).size).toBe(300)
    expect(target.arrived).toHaveLength(300)
    expect((await db.query('select from net.http_request_queue')).rowCount).toBe(0)
  })

  it('contains no request of a rolled back transaction', async () => {
    await db.query(`begin; select net.http_get('${at('/rolled-back')}'); rollback`)
    await enqueue(`net.http_get('${at('/after')}')`)
    expect(target.arrived.map(({ url }) => url)).toEqual(['/after'])
  })

  it('reports whether the worker is up, and restarts it on request', async () => {
    const pid = `select pid from pg_stat_activity where application_name = 'pg_net 0.20.4'`
    const before = (await db.query<{ pid: number }>(pid)).rows[0]!.pid
    expect(
      (await db.query('select net.check_worker_is_up(), net.worker_restart() as done')).rows,
    ).toMatchObject([{ done: true }])
    await expect
      .poll(async () => (await db.query<{ pid: number }>(pid)).rows[0]?.pid ?? before)
      .not.toBe(before)
    await db.query('select net.wait_until_running()')
    expect(await enqueue(`net.http_get('${at('/again')}')`)).toMatchObject({ status_code: 201 })
  })

  it('is not readable for roles that may send requests', async () => {
    await db.query('begin; set local role authenticated')
    const requests = await db.query<{ id: string }>(`select net.http_get('${at('/by-someone')}') as id`)
    const read = (table: string): Promise<string> =>
      db
        .query(`savepoint before; select * from net.${table}`)
        .then(
          () => 'read',
          (error: Error) => error.message,
        )
        .finally(() => db.query('rollback to before'))
    expect(await read('_http_response')).toMatch('permission denied')
    expect(await read('http_request_queue')).toMatch('permission denied')
    await db.query('commit')
    await db.query('select net._await_response($1)', [requests.rows[0]!.id])
    expect(target.arrived).toHaveLength(1)
    await db.query('truncate net._http_response; delete from net.http_request_queue')
  })

  it('does not repeat a request whose response a trigger refuses, and stores the others', async () => {
    await db.query(`create function public.refuse() returns trigger language plpgsql as
        $$ begin if new.status_code = 418 then raise exception 'not this one'; end if; return new; end $$;
      create trigger refuse before insert on net._http_response for each row execute function public.refuse()`)
    const { rows } = await db.query<{ bad: string; good: string }>(
      `select net.http_get('http://127.0.0.1:${target.port}/status?code=418') as bad,
        net.http_get('http://127.0.0.1:${target.port}/status?code=204') as good`,
    )
    const { bad, good } = rows[0]!
    await expect.poll(async () => (await db.query('select from net.http_request_queue')).rowCount).toBe(0)
    const kept = await db.query('select id from net._http_response where id = any($1)', [[bad, good]])
    expect(kept.rows).toEqual([{ id: good }])
    expect(backend.warnings.join('\n')).toContain('not this one')
    expect(target.arrived).toHaveLength(2)
    await db.query('drop function public.refuse() cascade')
  })

  it('loses no request and repeats none when PostgreSQL is killed', async () => {
    const { rows } = await db.query<{ id: string }>(
      `select net.http_get('${at('/held?n=')}' || n, timeout_milliseconds := 60000) as id
       from generate_series(1, 80) as n`,
    )
    // As many as go to one server at once; the rest waits in the queue.
    await expect.poll(() => heldResponses.length).toBe(32)
    db.on('error', () => {})
    process.kill(backend.pids.db, 'SIGKILL')
    for (const response of heldResponses.splice(0)) response.end('late')
    await expect
      .poll(async () => {
        db = new Client(backend.dbUrl)
        db.on('error', () => {})
        return db.connect().then(
          () => true,
          () => false,
        )
      })
      .toBe(true)
    for (const count of [32, 16]) {
      await expect.poll(() => heldResponses.length).toBe(count)
      for (const response of heldResponses.splice(0)) response.end('later')
    }
    await responses(rows)
    const kept = await db.query(
      'select content, count(*)::int from net._http_response where id = any($1) group by content order by 2',
      [rows.map(({ id }) => id)],
    )
    expect(kept.rows).toEqual([
      { content: 'late', count: 32 },
      { content: 'later', count: 48 },
    ])
    expect(target.arrived).toHaveLength(80)
  })
})

it('works again after the extension was dropped and created', async () => {
  await db.query(`select linnet_platform.drop_extension('pg_net', true)`)
  expect((await fetch(backend.metrics)).status).toBe(200)
  await db.query(`select linnet_platform.create_extension('pg_net', 'public', null, false)`)
  expect(await enqueue(`net.http_get('${at('/anew')}')`)).toMatchObject({ status_code: 201 })
})

it('stores the secrets of config.toml in the vault before migrations run', async () => {
  expect((await db.query('select * from public.known')).rows).toEqual([
    { decrypted_secret: 'from config.toml' },
  ])
})

describe('webhooks', () => {
  it('send inserts, updates and deletes, and record each', async () => {
    const admin = adminOf(backend)
    await admin.from('orders').insert({ id: 1, note: 'new' }).throwOnError()
    await admin.from('orders').update({ note: 'paid' }).eq('id', 1).throwOnError()
    await admin.from('orders').delete().eq('id', 1).throwOnError()
    await expect.poll(() => target.arrived.length).toBe(3)
    const bodies = target.arrived.map(({ body }) => JSON.parse(body) as { type: string })
    const of = { schema: 'public', table: 'orders' }
    const [fresh, paid] = [
      { id: 1, note: 'new' },
      { id: 1, note: 'paid' },
    ]
    const bodyOf = (type: string): unknown => bodies.find((body) => body.type === type)
    expect(bodyOf('INSERT')).toEqual({ ...of, type: 'INSERT', record: fresh, old_record: null })
    expect(bodyOf('UPDATE')).toEqual({ ...of, type: 'UPDATE', record: paid, old_record: fresh })
    expect(bodyOf('DELETE')).toEqual({ ...of, type: 'DELETE', record: null, old_record: paid })
    expect(target.arrived[0]!.headers).toMatchObject({ 'x-hook': 'orders' })
    const { rows } = await db.query(
      `select hook_name, count(distinct request_id)::int as requests from supabase_functions.hooks
       where hook_table_id = 'public.orders'::regclass::int group by hook_name`,
    )
    expect(rows).toEqual([{ hook_name: 'order_changes', requests: 3 }])
  })
})

it('sends changes of tables that services write', async () => {
  const { error } = await adminOf(backend).auth.admin.createUser({ email: 'ann@harbour.example' })
  expect(error).toBeNull()
  await expect.poll(() => target.arrived.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /user'])
})

it('counts results of requests, and logs a refused host once', async () => {
  await enqueue(`net.http_get('http://10.20.30.40/secret-path')`)
  await enqueue(`net.http_get('http://10.20.30.40/secret-path')`)
  const text = await (await fetch(backend.metrics)).text()
  expect(text).toMatch(/linnet_net_requests_total\{outcome="sent"\} [1-9]/)
  expect(text).toMatch(/linnet_net_requests_total\{outcome="refused"\} [1-9]/)
  expect(text).toMatch(/linnet_net_requests_total\{outcome="failed"\} [1-9]/)
  expect(text).toMatch(/linnet_net_queued 0/)
  const named = backend.warnings.filter((line) => line.includes('10.20.30.40'))
  expect(named).toHaveLength(1)
  expect(named[0]).not.toContain('secret-path')
})
