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
  const { request, cache, query, settings } = o
  const { preferences, schema, name, range } = request
  const needsBody = !request.headersOnly && (!isWrite(request) || preferences.return === 'representation')
  const outputOf: OutputOf = (target, root, routine) =>
    negotiate(request.accept, {
      handlers: cache.mediaHandlers,
      target,
      routine,
      root,
      needsBody,
      planEnabled: settings.planEnabled,
    })
  let plan: Plan
  if (request.action === 'call') {
    plan = planCall({
      cache,
      named: { schema, name },
      role: o.role,
      isPost: request.method === 'POST',
      content: request.content,
      query,
      inputCount: request.split.inputs.length,
      body: o.body,
      range,
      settings,
      preferences,
      outputOf,
    })
  } else {
    const table = findTable(cache, schema, name, o.role)
    if (request.action === 'read') {
      const { root, legacyNames } = planRead({
        cache,
        target: table,
        query,
        role: o.role,
        range,
        settings,
        fromSource: false,
        isWrite: false,
      })
      plan = { kind: 'read', root, legacyNames, preferences, output: outputOf(table, root, null) }
    } else {
      const kind = request.action as 'insert' | 'update' | 'delete' | 'put'
      plan = planWrite({
        cache,
        settings,
        kind,
        table,
        query,
        preferences,
        body: o.body,
        role: o.role,
        outputOf,
      })
    }
  }
  if (preferences.handling === 'strict' && preferences.invalid.length > 0) {
    throw errors.preferences(preferences.invalid)
  }
  return plan
}

function isWrite({ action }: RestRequest): boolean {
  return action === 'insert' || action === 'update' || action === 'delete' || action === 'put'
}
