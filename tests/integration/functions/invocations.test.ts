import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startServer, temporaryData } from '../../support/server.ts'
import { startFunctions, writeProject, type TestFunctions } from './startFunctions.ts'

/** `supabase_functions.invoke`: the database invokes a function of a running server. */
const echo = `Deno.serve(async (request) => {
  const { method, url, headers } = request
  const isService = headers.get('authorization') === 'Bearer ' + Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')
  const body = await request.json()
  console.log(JSON.stringify({ method, path: new URL(url).pathname, isService, body }))
  if (body.status) return new Response(null, { status: body.status })
  return body.streams ? new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65536)) })) : new Response()
})`

let server: TestFunctions
let db: Client

beforeAll(async () => {
  // The token of the caller is checked as for all functions.
  server = await startFunctions({ echo }, '[functions.echo]\nverify_jwt = true\n')
  db = new Client(server.backend.dbUrl)
  await db.connect()
})
afterAll(async () => {
  await db?.end()
  await server?.stop()
})

const invoke = (name: string, body: unknown) =>
  db.query('select supabase_functions.invoke($1, $2)', [name, JSON.stringify(body)])
const outputs = (): unknown[] =>
  server.lines.flatMap((line) => {
    const json = /functions\.output echo: (\{.*\})$/.exec(line)?.[1]
    return json === undefined ? [] : [JSON.parse(json) as unknown]
  })
const settled = () =>
  vi.waitFor(async () =>
    expect((await db.query('select from supabase_functions.invocations')).rowCount).toBe(0),
  )

it('a function receives the body by POST with the key of the service role, and nothing before the commit', async () => {
  await db.query('begin')
  await invoke('echo', { of: 'a rolled back transaction' })
  await db.query('rollback')
  await invoke('echo', { text: 'Zoë 🐦', large: 'x'.repeat(900_000) })
  await vi.waitFor(() => expect(server.lines.join('\n')).toContain('Zoë'))
  await settled()
  await invoke('echo', { of: 'a committed one' })
  await vi.waitFor(() =>
    expect(outputs().at(-1)).toEqual({
      method: 'POST',
      path: '/echo',
      isService: true,
      body: { of: 'a committed one' },
    }),
  )
  await settled()
  expect(server.lines.join('\n')).not.toContain('a rolled back transaction')
})

it('an invocation ends with any response', async () => {
  for (const body of [{ status: 204 }, { status: 500 }, { streams: true }]) await invoke('echo', body)
  await invoke('missing', {})
  await settled()
  const failures = server.lines.filter((line) => line.includes('functions.invocation_failed'))
  expect(failures.map((line) => /function=\S+ status=\d+/.exec(line)?.[0]).sort()).toEqual([
    'function=echo status=500',
    'function=missing status=404',
  ])
})

it('clients can invoke no function in the way of the database', async () => {
  const { url, publishableKey } = server.backend
  const headers = { apikey: publishableKey, 'content-type': 'application/json' }
  const before = outputs().length
  for (const profile of ['supabase_functions', 'public']) {
    const response = await fetch(`${url}/rest/v1/rpc/invoke`, {
      method: 'POST',
      headers: { ...headers, 'content-profile': profile },
      body: JSON.stringify({ function_name: 'echo' }),
    })
    expect([404, 406]).toContain(response.status)
  }
  const direct = await fetch(`${url}/functions/v1/echo`, {
    method: 'POST',
    headers: { ...headers, authorization: 'Bearer guessed' },
    body: '{}',
  })
  expect(direct.status).toBe(401)
  for (const role of ['anon', 'authenticated']) {
    await db.query('begin')
    await db.query(`set local role ${role}`)
    await expect(db.query(`select supabase_functions.invoke('echo')`)).rejects.toThrow('permission denied')
    await db.query('rollback; begin')
    await db.query(`set local role ${role}`)
    await expect(
      db.query(`insert into supabase_functions.invocations (function_name, body) values ('echo', '{}')`),
    ).rejects.toThrow('permission denied')
    await db.query('rollback')
  }
  expect(outputs()).toHaveLength(before)
})

it('what was committed before the server was killed is invoked after its next start', async () => {
  const data = temporaryData()
  const waiting = `import { appendFileSync } from 'node:fs'
    Deno.serve(async (request) => {
      const { file, value } = await request.json()
      appendFileSync(file, value + '\\n')
      return value === 'last' ? new Response() : new Promise(() => {})
    })`
  const project = writeProject({ waiting }, '')
  const file = join(project, 'values')
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const connect = async (dbUrl: string): Promise<Client> => {
    const client = new Client(dbUrl)
    client.on('error', () => {})
    await client.connect()
    return client
  }
  try {
    await createDataFromTemplate(data.dir)
    const start = () =>
      startServer({
        root: join(import.meta.dirname, '../../..'),
        dataDir: data.dir,
        args: ['--no-app', '--supabase', project],
      })
    const first = await start()
    let client = await connect(first.dbUrl)
    const add = (value: string) =>
      client.query('select supabase_functions.invoke($1, $2)', ['waiting', JSON.stringify({ file, value })])
    await add('interrupted')
    await vi.waitFor(() => expect(lines()).toEqual(['interrupted']))
    await first.end('SIGKILL')

    const second = await start()
    await vi.waitFor(() => expect(lines()).toEqual(['interrupted', 'interrupted']))
    // Now PostgreSQL alone: the server goes on with a new one.
    process.kill(second.pids.db, 'SIGKILL')
    client = await vi.waitFor(() => connect(second.dbUrl), { interval: 100 })
    await add('last')
    await vi.waitFor(() => expect(lines().at(-1)).toBe('last'))
    const values = `select body ->> 'value' as value from supabase_functions.invocations`
    await vi.waitFor(async () =>
      expect((await client.query(values)).rows).toEqual([{ value: 'interrupted' }]),
    )
    await client.end()
    await second.end('SIGTERM')
  } finally {
    data.remove()
    rmSync(project, { recursive: true })
  }
})
