import { errors } from '../errors.ts'
import type { Body } from '../parse/parseBody.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Query } from '../parse/query.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { SchemaCache, Table } from '../schemaCache/schemaCache.ts'
import { type ChooseOutput, negotiate } from './negotiate.ts'
import { planCall } from './planCall.ts'
import { planRead } from './planRead.ts'
import { planWrite } from './planWrite.ts'
import type { Plan } from './plan.ts'
import { keyOf } from '../schemaCache/qualifiedName.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

/** Input of a plan. `role` only affects suggestions in errors. */
export interface PlanOptions {
  cache: SchemaCache
  request: RestRequest
  query: Query
  /** Null if the request has no body, or a body without effect. */
  body: Body | null
  role: string
  settings: RestSettings
}

/** Plans a request, without a connection. Throws RestError. */
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
    chooseOutput: createOutputChooser(o, !request.headersOnly),
  })
}

function planOfTable(o: PlanOptions): Plan {
  const { request, cache } = o
  const { action, preferences, range } = request
  const table = findTable(cache, request.schema, request.name, o.role)
  if (action === 'insert' || action === 'update' || action === 'delete' || action === 'put') {
    const needsBody = preferences.return === 'representation'
    return planWrite({
      ...o,
      kind: action,
      table,
      preferences,
      chooseOutput: createOutputChooser(o, needsBody),
    })
  }
  const { root, legacyNames } = planRead({ ...o, target: table, range, source: 'table' })
  const output = createOutputChooser(o, !request.headersOnly)(table, root, null)
  return { kind: 'read', root, legacyNames, preferences, output }
}

function createOutputChooser({ request, cache, settings }: PlanOptions, needsBody: boolean): ChooseOutput {
  const { mediaHandlers: handlers } = cache
  const { planEnabled } = settings
  return (target, root, routine) =>
    negotiate(request.accept, { handlers, target, routine, root, needsBody, planEnabled })
}

/** Finds the exposed table or view with this name. Throws PGRST205. */
export function findTable(cache: SchemaCache, schema: string, name: string, role: string): Table {
  const table = cache.tables.get(keyOf(schema, name))
  if (table) return table
  const accessible = [...cache.tables.values()].filter(
    (each) => each.schema === schema && each.roles.includes(role),
  )
  throw errors.noTable(
    schema,
    name,
    suggestName(
      name,
      accessible.map((each) => each.name),
    ),
  )
}
