import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../../backend/logging/logger.ts'
import { loadSnapshot } from '../../../../backend/rest/reload/loadSnapshot.ts'
import type { PlanCache, PreparedPlan } from '../../../../backend/rest/PlanCache.ts'
import { restSettings } from '../../../../backend/rest/settings/restSettings.ts'
import type { RestSettings } from '../../../../backend/rest/settings/restSettings.ts'
import { runRequest } from '../../../../backend/rest/runRequest.ts'
import type { SchemaCache } from '../../../../backend/rest/schemaCache/schemaCache.ts'
import { fixture } from '../fixture.ts'
import { startRest } from '../startRest.ts'
import type { RestServer } from '../startRest.ts'
import { anyShape, oddTable } from './anyShape.ts'
import type { ShapedRequest } from './anyShape.ts'
import { timeoutMs, runs } from './runs.ts'

let server: RestServer
let cache: SchemaCache
let settings: RestSettings
beforeAll(async () => {
  server = await startRest(`${fixture}; ${oddTable}`)
  settings = { ...restSettings(loadConfig('/nowhere')), schemas: ['public', 'other'], planEnabled: true }
  const log = createLogger({ format: 'text', minLevel: 'error', write: () => {} })
  ;({ cache } = await loadSnapshot({ pool: server.pool, base: settings, log }, null))
})
afterAll(() => server?.stop())

/** Records plans by shape and never returns one, so that each request is planned. */
class Recorder {
  /** Shape of the last plan; null if the request was refused before planning. */
  last: { shape: string; plan: string } | null = null

  get(): undefined {
    return undefined
  }

  set(shape: string, { plan, sql }: PreparedPlan): void {
    // JSON.stringify omits the contents of maps.
    const text = JSON.stringify([plan, sql], (_key, value: unknown) =>
      value instanceof Map ? [...(value as Map<unknown, unknown>)] : value,
    )
    this.last = { shape, plan: text }
  }

  statementName(): undefined {
    return undefined
  }
}

/** A database that refuses all queries, which come after planning. */
const noPool = new Proxy({} as RestServer['pool'], {
  get() {
    throw new Error('planning needs no database')
  },
})

/** The shape and the plan of a request, or null if it is refused. */
async function plan(request: ShapedRequest, role = 'anon'): Promise<Recorder['last']> {
  const { method, path, search, headers, body } = request
  const recorder = new Recorder()
  const hasBody = method === 'POST' || method === 'PATCH' || method === 'PUT'
  await runRequest(
    { pool: noPool, settings, leavesSessionState: false },
    {
      cache,
      timing: null,
      lease: undefined,
      plans: recorder as unknown as PlanCache,
      caller: { role, claims: {}, claimsJson: '{}' },
      raw: new Request('http://localhost/', { method, ...(hasBody ? { body } : {}) }),
      signal: new AbortController().signal,
      path,
      search,
      headers,
    },
  ).catch(() => null)
  return recorder.last
}

/** Describes two requests with the same shape and different plans; null if there are none. */
class KeyLaw {
  readonly plans = new Map<string, { plan: string; request: ShapedRequest }>()

  add(key: string, plan: string, request: ShapedRequest): ShapedRequest[] | null {
    const known = this.plans.get(key)
    if (known && known.plan !== plan) return [known.request, request]
    this.plans.set(key, { plan, request })
    return null
  }
}

it(
  'never answers a request by the plan of another',
  async () => {
    const law = new KeyLaw()
    let shared = 0
    const tries = runs(4_000)
    await fc.assert(
      fc.asyncProperty(anyShape, async (request) => {
        const planned = await plan(request)
        if (planned === null) return
        if (law.plans.has(planned.shape)) shared++
        expect(law.add(planned.shape, planned.plan, request)).toBeNull()
      }),
      { numRuns: tries },
    )
    expect(law.plans.size).toBeGreaterThan(tries / 8)
    expect(shared).toBeGreaterThan(tries / 100)
  },
  timeoutMs,
)

it('plans do not depend on the role', async () => {
  await fc.assert(
    fc.asyncProperty(anyShape, async (request) => {
      const asAnon = await plan(request, 'anon')
      expect((await plan(request, 'service_role'))?.plan).toBe(asAnon?.plan)
    }),
    { numRuns: runs(500) },
  )
})

it('detects a shape without a number', async () => {
  const law = new KeyLaw()
  const careless = fc.asyncProperty(anyShape, async (request) => {
    const planned = await plan(request)
    if (planned === null) return
    const key = planned.shape.replaceAll(/\d/g, '')
    expect(law.add(key, planned.plan, request)).toBeNull()
  })
  expect((await fc.check(careless, { numRuns: 2_000 })).failed).toBe(true)
})
