import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../../backend/logging/logger.ts'
import { loadSnapshot } from '../../../../backend/rest/reload/loadSnapshot.ts'
import { restSettings } from '../../../../backend/rest/settings/restSettings.ts'
import type { SchemaCache } from '../../../../backend/rest/schemaCache/schemaCache.ts'
import { fixture } from '../fixture.ts'
import { startRest } from '../startRest.ts'
import type { RestServer } from '../startRest.ts'
import { anyRequest } from './anyRequest.ts'
import type { KnownRequest } from './anyRequest.ts'
import { timeoutMs, runs } from './runs.ts'

let server: RestServer
let cache: SchemaCache
beforeAll(async () => {
  server = await startRest(fixture)
  const log = createLogger({ format: 'text', minLevel: 'error', write: () => {} })
  const base = { ...restSettings(loadConfig('/nowhere')), schemas: ['public', 'other'] }
  ;({ cache } = await loadSnapshot({ pool: server.pool, base, log }, null))
})
afterAll(() => server?.stop())

/** Errors of PostgreSQL for invalid statements, independent of values. */
const ILL_WRITTEN = new Set([
  '42601', // syntax
  '42P01', // a table or alias that isn't there
  '42P02', // a parameter that isn't there
  '42702', // an ambiguous column
  '42712', // an alias twice
  '42703', // a column that isn't there, though all were
  '42803', // grouping
  '42P10', // an order or conflict that refers to nothing
  '42P18', // a parameter without a type
  '08P01', // more or fewer parameters than the statement has
  '0A000', // what PostgreSQL can't do
])

/** Functions of the fixture that fail or are slow. */
const FAILING = /^(bad_|raises|slow|teapot)/

async function complaint(request: KnownRequest): Promise<{ isAnswered: boolean; fault: string | null }> {
  const { method, path, search, headers, body } = request
  const response = await server.request(`${path}?${search}`, {
    method,
    headers,
    ...(body === null ? {} : { body }),
  })
  const { code = '', message = '' } = (response.json ?? {}) as { code?: string; message?: string }
  // Errors of values are allowed.
  const isValue = /^(?:(?:syntax error|no operand) in ts(?:query|vector)|there is no escaped character)/.test(
    message,
  )
  const isOurs = response.status >= 500 && !/^[0-9A-Z]{5}$/.test(code)
  // Two spread columns with the same name are ambiguous in PostgreSQL, like upstream.
  const isSpread = code === '42702' && search.includes('...')
  const fault =
    isOurs || (ILL_WRITTEN.has(code) && !isValue && !isSpread) ? `${response.status} ${response.text}` : null
  return { isAnswered: response.status < 300, fault }
}

it(
  'writes only statements that PostgreSQL understands',
  async () => {
    let answered = 0
    const tries = runs(600)
    await fc.assert(
      fc.asyncProperty(
        anyRequest(cache, 'public', (name) => !FAILING.test(name)),
        async (request) => {
          const { isAnswered, fault } = await complaint(request)
          if (isAnswered) answered++
          expect(fault).toBeNull()
        },
      ),
      { numRuns: tries },
    )
    expect(server.logged).toEqual([])
    expect(answered).toBeGreaterThan(tries / 10)
  },
  timeoutMs,
)

it('detects an invalid statement', async () => {
  const request = { method: 'GET', path: '/projects', search: 'select=no_such', headers: {}, body: null }
  expect((await complaint(request)).fault).toContain('42703')
})
