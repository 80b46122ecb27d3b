import { errors } from '../errors.ts'
import type { Body } from '../parse/parseBody.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Query } from '../parse/query.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'
import { findTable } from './findTable.ts'
import { negotiate } from './negotiate.ts'
import type { OutputOf } from './negotiate.ts'
import { planCall } from './planCall.ts'
import { planRead } from './planRead.ts'
import { planWrite } from './planWrite.ts'
import type { Plan } from './plan.ts'

/** What a plan is made of. `role` decides only which names an error may suggest. */
export interface PlanOptions {
  cache: SchemaCache
  request: RestRequest
  query: Query
  /** Null where the request has none that counts. */
  body: Body | null
  role: string
  settings: RestSettings
}

/** Decides, without a connection, what a request will do. Throws RestError. */
export function planRequest(o: PlanOptions): Plan {
  const { handling, invalid } = o.request.preferences
  const plan = o.request.action === 'call' ? planOfCall(o) : planOfTable(o)
  if (handling === 'strict' && invalid.length > 0) throw errors.preferences(invalid)
  return plan
}

function planOfCall(o: PlanOptions): Plan {
  const { request } = o
  return planCall({
    ...o,
    named: { schema: request.schema, name: request.name },
    isPost: request.method === 'POST',
    content: request.content,
    inputCount: request.split.inputs.length,
    range: request.range,
    preferences: request.preferences,
    outputOf: outputOf(o, !request.headersOnly),
  })
}

function planOfTable(o: PlanOptions): Plan {
  const { request, cache } = o
  const { action, preferences, range } = request
  const table = findTable(cache, request.schema, request.name, o.role)
  if (action === 'insert' || action === 'update' || action === 'delete' || action === 'put') {
    const needsBody = preferences.return === 'representation'
    return planWrite({ ...o, kind: action, table, preferences, outputOf: outputOf(o, needsBody) })
  }
  const { root, legacyNames } = planRead({ ...o, target: table, range, source: 'table' })
  const output = outputOf(o, !request.headersOnly)(table, root, null)
  return { kind: 'read', root, legacyNames, preferences, output }
}

function outputOf({ request, cache, settings }: PlanOptions, needsBody: boolean): OutputOf {
  const { mediaHandlers: handlers } = cache
  const { planEnabled } = settings
  return (target, root, routine) =>
    negotiate(request.accept, { handlers, target, routine, root, needsBody, planEnabled })
}
