import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { startRest } from './startRest.ts'
import type { RequestOptions, RestServer, RestResponse } from './startRest.ts'

let server: RestServer

beforeAll(async () => {
  server = await startRest(fixture, { settings: { planEnabled: true, serverTimingEnabled: true } })
  await server.owner.query(`create domain "text/plain" as text;
    create function plain() returns "text/plain" language sql stable as $$ select 'x' $$;
    create function step(state text, next tasks) returns "text/plain" language sql immutable as $$ select state || next.name $$;
    create aggregate names(tasks) (initcond = '', stype = "text/plain", sfunc = step);
    grant execute on all functions in schema public to anon`)
  await server.rest.reload()
})
afterAll(() => server.stop())

interface Explained {
  Plan: { 'Total Cost': number; Output?: string[]; 'WAL Records'?: number; 'Shared Hit Blocks'?: number }
  Settings?: Record<string, string>
  'Execution Time'?: number
  'Query Identifier'?: number
}

const PLAN = 'application/vnd.pgrst.plan'

function sendRequest(path: string, accept: string, options: RequestOptions = {}): Promise<RestResponse> {
  return server.request(path, { ...options, headers: { Accept: accept, ...options.headers } })
}

async function explained(path: string, parameters = '', options: RequestOptions = {}): Promise<Explained> {
  const { status, json } = await sendRequest(path, `${PLAN}+json${parameters}`, options)
  expect(status).toBe(200)
  return (json as Explained[])[0]!
}

describe('a plan', () => {
  it('is text or JSON', async () => {
    for (const accept of [PLAN, `${PLAN}+text`]) {
      const { status, headers, text } = await sendRequest('/tasks?id=in.(1,2)', accept)
      expect([status, headers.get('Content-Type')]).toEqual([
        200,
        `${PLAN}+text; for="application/json"; charset=utf-8`,
      ])
      expect(text).toMatch(/^Aggregate .*\n(?: .*\n)+$/)
    }
    const json = await sendRequest('/tasks?id=eq.1', `${PLAN}+json`)
    expect(json.headers.get('Content-Type')).toBe(`${PLAN}+json; for="application/json"; charset=utf-8`)
    expect((json.json as Explained[])[0]!.Plan['Total Cost']).toBeGreaterThan(0)
  })

  it('is available for any request', async () => {
    const cost = async (path: string, options: RequestOptions = {}): Promise<number> =>
      (await explained(path, '', options)).Plan['Total Cost']
    const upsert = { Prefer: 'resolution=merge-duplicates' }
    expect(await cost('/item_names?id=gt.0')).toBeGreaterThan(0)
    expect(await cost('/projects?select=*,clients(*)')).toBeGreaterThan(0)
    expect(await cost('/rpc/some_projects?id=eq.1')).toBeGreaterThan(0)
    expect(await cost('/rpc/add?a=1')).toBeGreaterThan(0)
    const row = { id: 70, name: 'x' }
    expect(await cost('/tasks', { method: 'POST', body: row, headers: upsert })).toBeGreaterThan(0)
    expect(await cost('/tasks?id=eq.70', { method: 'PUT', body: row })).toBeGreaterThan(0)
    expect(await cost('/tasks?id=eq.1', { method: 'PATCH', body: { name: 'x' } })).toBeGreaterThan(0)
    expect(await cost('/tasks?id=eq.1', { method: 'DELETE' })).toBeGreaterThan(0)
  })

  it('changes nothing without ANALYZE', async () => {
    const row = { method: 'POST', body: { id: 71, name: 'x' } }
    const count = async (): Promise<unknown> => (await server.request('/tasks?id=eq.71')).json
    await explained('/tasks', '', row)
    expect(await count()).toEqual([])
    await explained('/tasks', '; options=analyze', { ...row, headers: { Prefer: 'tx=rollback' } })
    expect(await count()).toEqual([])
    expect((await explained('/tasks', '; options=analyze', row))['Execution Time']).toBeGreaterThan(0)
    expect(await count()).toHaveLength(1)
    await server.request('/tasks?id=eq.71', { method: 'DELETE' })
  })

  it('contains the requested options', async () => {
    expect((await explained('/tasks')).Plan.Output).toBeUndefined()
    const verbose = await explained('/tasks', '; options=verbose')
    expect(verbose.Plan.Output!.join()).toContain('json_agg(')
    expect(verbose['Query Identifier']).toEqual(expect.any(Number))
    expect((await explained('/tasks', '; options=buffers')).Plan['Shared Hit Blocks']).toBeDefined()
    expect((await explained('/tasks', '; options=analyze|wal')).Plan['WAL Records']).toBe(0)
    expect((await explained('/tasks', '; options=settings')).Settings).toMatchObject({
      search_path: '"public", "public", "extensions"',
    })
    const { headers } = await sendRequest('/tasks', `${PLAN}+json; options="settings|made up|analyze"`)
    expect(headers.get('Content-Type')).toBe(
      `${PLAN}+json; for="application/json"; options=analyze|settings; charset=utf-8`,
    )
  })

  it('is that of the requested media type', async () => {
    const output = async (path: string, type: string): Promise<string> => {
      const { Plan } = await explained(path, `; for="${type}"; options=verbose`)
      return Plan.Output!.join('\n')
    }
    expect(await output('/tasks', 'text/csv')).toContain('string_agg(')
    expect(await output('/tasks', 'text/plain')).toContain('names(')
    expect(await output('/rpc/plain', 'text/plain')).toMatch(/^NULL::text\n1\n_pgrst_rows.pgrst_scalar\n/)
    expect(await output('/tasks', 'application/vnd.pgrst.array;nulls=stripped')).toContain('json_strip_nulls')
    const object = `${PLAN}+json; for="application/vnd.pgrst.object"`
    const many = await sendRequest('/tasks', object)
    expect([many.status, many.headers.get('Content-Type')]).toEqual([
      200,
      `${PLAN}+json; for="application/vnd.pgrst.object+json"; charset=utf-8`,
    ])
  })

  it('is not available for unavailable media types or plans', async () => {
    for (const type of ['image/png', `${PLAN}`]) {
      const accept = `${PLAN}+json; for="${type}"`
      expect(await sendRequest('/tasks', accept)).toMatchObject({ status: 406, json: { code: 'PGRST107' } })
    }
  })

  it('works with the official client', async () => {
    const client = await server.client()
    expect((await client.from('tasks').select().explain()).data).toMatch(/^Aggregate /)
    const json = await client
      .from('tasks')
      .select()
      .eq('id', 1)
      .explain({ format: 'json', analyze: true, buffers: true })
    expect((json.data as unknown as Explained[])[0]!['Execution Time']).toBeGreaterThan(0)
  })

  it('uses the policies of the caller', async () => {
    expect((await sendRequest('/secrets', PLAN)).status).toBe(401)
    expect((await sendRequest('/tasks?id=eq.x', PLAN)).json).toMatchObject({ code: '22P02' })
    expect((await sendRequest('/tasks', PLAN, { method: 'HEAD' })).text).toBe('')
  })
})

describe('Server-Timing', () => {
  const stages =
    /^jwt;dur=\d+\.\d, parse;dur=\d+\.\d, plan;dur=\d+\.\d, transaction;dur=\d+\.\d, response;dur=\d+\.\d$/

  it('contains the duration of each stage', async () => {
    for (const [path, options] of [
      ['/tasks', {}],
      ['/tasks', { method: 'HEAD' }],
      ['/tasks', { method: 'OPTIONS' }],
      ['/', {}],
      ['/rpc/add', { method: 'POST', body: { a: 1 } }],
      ['/items', { method: 'POST', body: {}, headers: { Prefer: 'tx=rollback' } }],
    ] as [string, RequestOptions][]) {
      expect((await server.request(path, options)).headers.get('Server-Timing')).toMatch(stages)
    }
  })
})
