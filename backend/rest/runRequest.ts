import type { QueryConfig } from 'pg'
import { type RowBytes, RowRefused } from '../postgres/connections/RowInterceptor.ts'
import type { TransactionStatement } from '../postgres/connections/TransactionQuery.ts'
import { runAsCaller } from '../postgres/connections/runAsCaller.ts'
import { readRequestBody } from '../runtime/readRequestBody.ts'
import type { PreparedPlan } from './PlanCache.ts'
import type { IncomingRequest, RestContext } from './RestContext.ts'
import { errors, type RestError } from './errors.ts'
import { type Body, parseBody, shapeOfBody } from './parse/parseBody.ts'
import { parseColumns, parseQuery } from './parse/parseQuery.ts'
import { type Headers, parseRequest, type RestRequest } from './parse/parseRequest.ts'
import { allowedMethods } from './plan/allowedMethods.ts'
import { canEstimate } from './plan/planRead.ts'
import { planRequest } from './plan/planRequest.ts'
import { preRequest, requestSettings } from './requestSettings.ts'
import { databaseError } from './respond/databaseError.ts'
import { parseResult } from './respond/parseResult.ts'
import { renderResponse } from './respond/renderResponse.ts'
import { renderOptions, renderPlan, type RestResponse } from './respond/restResponse.ts'
import type { RestSettings } from './settings/restSettings.ts'
import type { SchemaCache } from './schemaCache/schemaCache.ts'
import { bindValues } from './sql/bindValues.ts'
import { requestSql, type Statement } from './sql/requestSql.ts'

/** The maximum size of a body. A body may be in memory several times before PostgreSQL has it. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

const checkConstraints: QueryConfig = { text: 'SET CONSTRAINTS ALL IMMEDIATE' }

/**
 * Runs a request through the stages: parse, plan, generate SQL, run it as the caller, render. Throws RestError and
 * the pool's errors.
 */
export async function runRequest(context: RestContext, incoming: IncomingRequest): Promise<RestResponse> {
  const { cache, plans, caller, raw, path, search, headers, timing } = incoming
  const request = parseRequest({
    method: raw.method,
    path,
    search,
    headers,
    settings: context.settings,
  })
  if (request.action === 'inspect') return respondToOptions(context, incoming, request)
  if (request.action === 'describe') {
    if (!incoming.describeSchema) throw errors.openApi()
    return incoming.describeSchema(context, incoming, request)
  }
  const body = await bodyOf(request, raw, headers)
  timing?.end('parse')
  const shape = body ? request.shape + shapeOfBody(body) : request.shape
  let prepared = plans.get(shape)
  if (!prepared) {
    prepared = prepare(context, { cache, request, body, role: caller.role })
    plans.set(shape, prepared)
  }
  timing?.end('plan')
  const { plan } = prepared
  const settings = requestSettings({
    request,
    plan,
    path,
    headers,
    extraSearchPath: context.settings.extraSearchPath,
  })
  const rollback = (request.preferences.tx ?? context.settings.txEnd).startsWith('rollback')
  const statements = statementsOf(prepared, request, body, plans.statementName(prepared, caller.role))
  if (rollback) statements.push(checkConstraints)
  const readOnly = plan.kind === 'read' || (plan.kind === 'call' && plan.isReadOnly)
  const before = preRequest(context.settings)
  const isolation = plan.kind === 'call' ? plan.routine.isolation : null
  try {
    const all = await runAsCaller(
      context.pool,
      {
        caller,
        settings,
        readOnly,
        isolation,
        leavesSessionState: context.leavesSessionState,
        rollback,
        // Else a request that fails, or a dry run, would not count against the rate limits of the pre-request function.
        retained: readOnly ? 0 : before.length,
        signal: incoming.signal,
        admitRow: (bytes) => refuseResponse(incoming, context.settings, bytes),
      },
      [...before, ...statements],
    )
    timing?.end('transaction')
    const results = all.slice(before.length)
    const [rows, estimateRows] = results.map((result) => result.rows as unknown as RowBytes[])
    if (plan.output.explain) return renderPlan(request, plan, rows!)
    return renderResponse(request, plan, parseResult(rows![0]!, estimateRows?.[0]), {
      maxRows: context.settings.maxRows,
      canonicalQuery: canonicalQuery(search),
    })
  } catch (error) {
    if (error instanceof RowRefused) throw error.reason
    throw databaseError(error, caller.role === 'anon') ?? error
  }
}

/** Returns the error if a response of this size is refused, else null. */
function refuseResponse(
  { lease }: IncomingRequest,
  { maxResponseBytes }: RestSettings,
  bytes: number,
): RestError | null {
  if (bytes > maxResponseBytes) return errors.responseTooLarge(maxResponseBytes)
  return lease?.take(bytes) === false ? errors.callerHoldsTooMuch() : null
}

function respondToOptions(
  { settings }: RestContext,
  { cache, caller }: IncomingRequest,
  request: RestRequest,
): RestResponse {
  const query = parseQuery(request.split, request.isRoutine)
  return renderOptions(allowedMethods({ cache, request, query, body: null, role: caller.role, settings }))
}

/** Returns the parsed body; null if it has no effect, as for DELETE and calls by GET. */
async function bodyOf(request: RestRequest, raw: Request, headers: Headers): Promise<Body | null> {
  const { action, method } = request
  const isCall = action === 'call'
  if (action === 'read' || action === 'delete' || (isCall && method !== 'POST')) return null
  const columns = action === 'put' ? null : parseColumns(request.split)
  const rawBody = await readRequestBody(raw, headers['content-length']?.toString(), MAX_BODY_BYTES, () =>
    errors.bodyTooLarge(MAX_BODY_BYTES),
  )
  return parseBody(rawBody, request.content, { isCall, columns })
}

function prepare(
  { settings }: RestContext,
  o: { cache: SchemaCache; request: RestRequest; body: Body | null; role: string },
): PreparedPlan {
  const { request } = o
  const query = parseQuery(request.split, request.action === 'call' && request.method !== 'POST')
  const plan = planRequest({ ...o, query, settings })
  const sql = requestSql(plan, { maxRows: settings.maxRows, canEstimate: canEstimate(plan.root, o.cache) })
  return { plan, sql, uses: 0, names: new Map() }
}

function statementsOf(
  prepared: PreparedPlan,
  request: RestRequest,
  body: Body | null,
  name: string | undefined,
): TransactionStatement[] {
  const { inputs: queryInputs } = request.split
  const inputs = body?.form ? [...queryInputs, ...body.form.map(([, value]) => value)] : queryInputs
  const toQuery = ({ text, binds }: Statement, preparedAs?: string): TransactionStatement => {
    const values = bindValues(binds, inputs, body?.text ?? null)
    return { text, values, raw: true, ...(preparedAs === undefined ? {} : { name: preparedAs }) }
  }
  const { main, estimate } = prepared.sql
  const statements = [toQuery(main, name)]
  if (estimate) statements.push(toQuery(estimate))
  return statements
}

/** Returns the query in a fixed order, as in upstream's Content-Location. */
function canonicalQuery(search: string): string {
  return search.includes('&') ? search.split('&').sort().join('&') : search
}
