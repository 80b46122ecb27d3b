import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { PostgresLost, PostgresUnavailable } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import { createRestService } from '../../../backend/rest/createRestService.ts'
import { restSettings } from '../../../backend/rest/settings/restSettings.ts'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { fixture } from './fixture.ts'
import { OF_NAMES, OF_REQUESTS, raised } from './errorCases.ts'
import type { Refusal } from './errorCases.ts'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

/** Errors of every code with PostgREST's exact messages, each with a request that causes it. */

const schema = `${fixture}
create function opened() returns setof int language sql as 'select 1 union all select 2';
create function missing_xml() returns void language plpgsql as $$
  begin raise exception using errcode = '42883', message = 'function xmlagg(integer) does not exist'; end $$;
grant execute on function opened(), missing_xml() to anon;`

let server: RestServer
beforeAll(async () => {
  server = await startRest(schema)
})
afterAll(() => server?.stop())

async function expectRefusal(refusal: Refusal): Promise<void> {
  const response = await server.request(refusal.path, refusal.options)
  const { code, message, details = null, hint = null } = refusal
  expect({ status: response.status, body: response.json }).toEqual({
    status: refusal.status,
    body: { code, message, details, hint },
  })
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('Proxy-Status')).toBe(`PostgREST; error=${code}`)
  expect(response.headers.get('WWW-Authenticate')).toBeNull()
  expect(response.headers.get('Retry-After')).toBeNull()
}

const title = ({ code, path, options }: Refusal): string => `${code} ${options?.method ?? 'GET'} ${path}`

describe('of requests', () => {
  it.each(OF_REQUESTS.map((refusal) => [title(refusal), refusal] as const))('%s', async (_title, refusal) => {
    await expectRefusal(refusal)
  })

  it('PGRST103 contains the number of rows', async () => {
    const response = await server.request('/tasks?offset=100', { headers: { Prefer: 'count=exact' } })
    expect(response.status).toBe(416)
    expect(response.json).toEqual({
      code: 'PGRST103',
      message: 'Requested range not satisfiable',
      details: 'An offset of 100 was requested, but there are only 4 rows.',
      hint: null,
    })
    expect(response.headers.get('Content-Range')).toBe('*/4')
  })

  it('depend on settings: 126 without a description, 127 for a missing feature, 108 for a legacy name', async () => {
    const sendRequest = await server.beside({
      openApiMode: 'disabled',
      aggregatesEnabled: true,
      useLegacyTargetNames: false,
    })
    expect(await sendRequest('/')).toMatchObject({
      status: 404,
      json: { code: 'PGRST126', message: 'Root endpoint metadata is disabled', details: null, hint: null },
    })
    expect(await sendRequest('/projects?select=id,...tasks(id.sum())')).toMatchObject({
      status: 400,
      json: {
        code: 'PGRST127',
        message: 'Feature not implemented',
        details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
        hint: null,
      },
    })
    expect(await sendRequest('/projects?select=id,t:tasks(id)&tasks.id=eq.1')).toMatchObject({
      status: 400,
      json: {
        code: 'PGRST108',
        message: "'tasks' is not an embedded resource in this request",
        details: 'Target names are not allowed in filters if they have an alias',
        hint: "Change 'tasks' to 't' in filters, orders or limits.",
      },
    })
  })
})

describe('of names', () => {
  it.each(OF_NAMES.map((refusal) => [title(refusal), refusal] as const))('%s', async (_title, refusal) => {
    await expectRefusal(refusal)
  })
})

describe('of tokens', () => {
  const refused = async (bearer: string): Promise<unknown[]> => {
    const response = await server.request('/tasks', { headers: { Authorization: `Bearer ${bearer}` } })
    return [
      response.status,
      response.json,
      response.headers.get('WWW-Authenticate'),
      response.headers.get('Proxy-Status'),
    ]
  }
  const unauthorized = (code: string, message: string, details: string | null = null): unknown[] => [
    401,
    { code, message, details, hint: null },
    `Bearer error="invalid_token", error_description="${message}"`,
    `PostgREST; error=${code}`,
  ]

  it('PGRST301 for an invalid token', async () => {
    for (const authorization of ['Bearer', 'Bearer ']) {
      const { status, json } = await server.request('/projects', {
        headers: { Authorization: authorization },
      })
      expect([status, json]).toMatchObject([
        401,
        { code: 'PGRST301', message: 'Empty JWT is sent in Authorization header' },
      ])
    }
    expect(await refused('a.b')).toEqual(unauthorized('PGRST301', 'Expected 3 parts in JWT; got 2'))
    const token = await server.token({ role: 'authenticated' })
    expect(await refused(`${token.slice(0, -4)}AAAA`)).toEqual(
      unauthorized(
        'PGRST301',
        'No suitable key or wrong key type',
        'None of the keys was able to decode the JWT',
      ),
    )
  })

  it('PGRST303 for an expired token', async () => {
    const token = await server.token({ role: 'authenticated', exp: 1 })
    expect(await refused(token)).toEqual(unauthorized('PGRST303', 'JWT expired'))
  })

  it('PGRST303 for a token from the future, or for another audience', async () => {
    const soon = Math.floor(Date.now() / 1000) + 20
    expect(
      (await server.request('/tasks', { claims: { role: 'authenticated', iat: soon, aud: [] } })).status,
    ).toBe(200)
    const tomorrow = await server.token({ role: 'authenticated', iat: soon + 86_400 })
    expect(await refused(tomorrow)).toEqual(unauthorized('PGRST303', 'JWT issued at future'))
    const nobody = await server.token({ role: 'authenticated', aud: [1] as never })
    expect(await refused(nobody)).toEqual(
      unauthorized('PGRST303', "The JWT 'aud' claim must be a string or an array of strings"),
    )
  })

  it.each(['exp', 'nbf'])('PGRST303 for a claim %s that is not a number', async (claim) => {
    const token = await server.token({ role: 'authenticated', [claim]: 'soon' })
    expect(await refused(token)).toEqual(
      unauthorized('PGRST303', `The JWT '${claim}' claim must be a number`),
    )
  })

  it('401 with SQLSTATE 22023 for a role that does not exist', async () => {
    const response = await server.request('/tasks', { claims: { role: 'nobody' } })
    expect(response).toMatchObject({
      status: 401,
      json: { code: '22023', message: 'role "nobody" does not exist' },
    })
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
  })
})

describe('of PostgreSQL', () => {
  /** SQLSTATEs with their status, at least one of each class of the map. */
  const STATUSES: [string, number][] = [
    ...['08000', '08006', '53000', '53300', '57P01'].map((state): [string, number] => [state, 503]),
    ...[
      '09000',
      '25000',
      '2D000',
      '38000',
      '39000',
      '3B000',
      '40001',
      '40P01',
      '53400',
      '54000',
      '54001',
      '55000',
    ]
      .concat([
        '57000',
        '57014',
        '58000',
        'F0000',
        'HV000',
        'P0000',
        'P0002',
        'P0003',
        'XX000',
        '42P17',
        '21000',
      ])
      .map((state): [string, number] => [state, 500]),
    ...['0L000', '0P000', '28000'].map((state): [string, number] => [state, 403]),
    ...['23503', '23505'].map((state): [string, number] => [state, 409]),
    ...['42883', '42P01'].map((state): [string, number] => [state, 404]),
    ...['22023', '22012', '22P02', '23502', '23514', '42601', '42703', 'P0001', '01000', 'ABCDE'].map(
      (state): [string, number] => [state, 400],
    ),
    ['25006', 405],
    ['42501', 401],
    ['PT418', 418],
    ['PT999', 500],
    ['PTABC', 500],
  ]

  it('each SQLSTATE has its status, message, details and hint', async () => {
    const responses = await Promise.all(
      STATUSES.map(async ([state]) => {
        const body = { state, message: 'the message', more: 'the detail', advice: 'the hint' }
        const response = await server.request('/rpc/raises', { method: 'POST', body })
        expect(response.json).toEqual({
          code: state,
          message: 'the message',
          details: 'the detail',
          hint: 'the hint',
        })
        expect(response.headers.get('Proxy-Status')).toBe(`PostgREST; error=${state}`)
        expect(response.headers.get('Retry-After')).toBe(response.status === 503 ? '1' : null)
        expect(response.headers.get('WWW-Authenticate')).toBe(response.status === 401 ? 'Bearer' : null)
        return [state, response.status]
      }),
    )
    expect(responses).toEqual(STATUSES)
  })

  it('a missing privilege is 401 for anon and 403 for other roles', async () => {
    const body = { code: '42501', message: 'permission denied for table secrets', details: null }
    expect(await server.request('/secrets')).toMatchObject({ status: 401, json: body })
    const response = await server.request('/secrets', { claims: { role: 'authenticated' } })
    expect(response).toMatchObject({ status: 403, json: body })
    expect(response.headers.get('WWW-Authenticate')).toBeNull()
  })

  it('UPDATE and DELETE without a filter are refused like by safeupdate, other 21000 errors are 500', async () => {
    const message = 'UPDATE requires a WHERE clause'
    expect(await server.request('/tasks', { method: 'PATCH', body: { done: true } })).toMatchObject({
      status: 400,
      json: { code: '21000', message, details: null, hint: null },
    })
    expect(await server.request('/tasks', { method: 'DELETE' })).toMatchObject({
      status: 400,
      json: { code: '21000', message: 'DELETE requires a WHERE clause' },
    })
  })

  it('406 if xml is not available', async () => {
    expect((await server.request('/rpc/missing_xml', { method: 'POST' })).status).toBe(406)
  })

  it('PGRST raised by SQL sets body, status and headers', async () => {
    const error = { code: '123', message: 'no', details: 'why', hint: 'how' }
    const response = await server.request(
      '/rpc/raises_pgrst',
      raised(error, { status: 402, headers: { 'X-Pay': 'now', 'WWW-Authenticate': 'Own' } }),
    )
    expect(response.json).toEqual(error)
    expect([
      response.status,
      response.headers.get('X-Pay'),
      response.headers.get('WWW-Authenticate'),
    ]).toEqual([402, 'now', 'Own'])
    expect(response.headers.get('Proxy-Status')).toBe('PostgREST; error=123')
  })
})

describe('of the connection', () => {
  /** The service with a pool that fails with this error. */
  async function failing(error: Error | null): Promise<Response> {
    let fault: Error | null = null
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      if (fault) throw fault
      return work()
    }
    const pool: Pool = {
      ...server.pool,
      query: (query, values) => guarded(() => server.pool.query(query, values)),
      withClient: (fn, signal) => guarded(() => server.pool.withClient(fn, signal)),
      transaction: (fn) => guarded(() => server.pool.transaction(fn)),
    }
    const rest = createRestService({
      pool,
      listen: { host: '/nowhere', connectionTimeoutMillis: 100 },
      verifyToken: async () => ({ ok: false, fault: 'malformed', message: 'unused' }),
      settings: restSettings(loadConfig('/nowhere')),
      log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
    })
    const gateway = new Hono<ServiceEnv>()
    gateway.use(async (c, next) => {
      c.set('apiCaller', { role: 'anon', claims: {}, claimsJson: '{}' })
      c.set('bearer', null)
      await next()
    })
    gateway.route('/rest/v1', rest.app)
    await rest.reload()
    expect((await gateway.request('/rest/v1/tasks')).status).toBe(200)
    fault = error
    const response = await gateway.request('/rest/v1/tasks')
    await rest.close()
    return response
  }

  it.each([
    ['PGRST000', 'Database connection error.', new PostgresUnavailable('gone')],
    ['PGRST001', 'Database client error. Retrying the connection.', new PostgresLost('gone')],
  ])('%s', async (code, message, error) => {
    const response = await failing(error)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ code, message, details: null, hint: null })
    expect([response.headers.get('Proxy-Status'), response.headers.get('Retry-After')]).toEqual([
      `PostgREST; error=${code}`,
      '1',
    ])
  })

  it('works without an error', async () => {
    expect((await failing(null)).status).toBe(200)
  })
})

/** Codes that no request causes here, with the reason. */
const UNREACHED: Record<string, string> = {
  PGRST002: 'only while no schema cache was ever read: session.test.ts starts a service without a database',
  PGRST003: 'a pool whose connections are all busy: session.test.ts and pool.test.ts keep them so',
  PGRST120: 'upstream builds it nowhere: a filter on an embed that is no `is null` is one on a column',
  PGRST300: 'the server always has its secret, which the first start creates',
  PGRST302: 'without a token everyone is anon, which is never switched off',
  PGRSTX00: 'is what a fault of our own would be: the fuzz tests look for it',
}

it('every code has a case or a reason', () => {
  const reached = [...OF_REQUESTS, ...OF_NAMES].map(({ code }) => code)
  const elsewhere = ['PGRST000', 'PGRST001', 'PGRST126', 'PGRST127', 'PGRST301', 'PGRST303']
  const known = new Set([...reached, ...elsewhere, ...Object.keys(UNREACHED)])
  const numbers = (first: number, last: number, without: number[] = []): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((n) => !without.includes(n))
  const codes = [
    ...numbers(0, 3),
    ...numbers(100, 128, [104, 109, 110, 113, 119]),
    ...numbers(200, 205),
    ...numbers(300, 303),
  ].map((number) => `PGRST${String(number).padStart(3, '0')}`)
  expect(codes.filter((code) => !known.has(code))).toEqual([])
})
