import type { QueryConfig } from 'pg'
import { asCaller } from '../postgres/connections/asCaller.ts'
import { RowRefused, type RowBytes } from '../postgres/connections/RowInterceptor.ts'
import type { TransactionStatement } from '../postgres/connections/TransactionQuery.ts'
import { errors, type RestError } from './errors.ts'
import { answerDescription } from './openapi/answerDescription.ts'
import { parseBody, shapeOfBody } from './parse/parseBody.ts'
import type { Body } from './parse/parseBody.ts'
import { parseColumns, parseQuery } from './parse/parseQuery.ts'
import { parseRequest } from './parse/parseRequest.ts'
import type { Headers, RestRequest } from './parse/parseRequest.ts'
import { allowedMethods } from './plan/allowedMethods.ts'
import { mayGuess } from './plan/mayGuess.ts'
import { planRequest } from './plan/planRequest.ts'
import type { PreparedPlan } from './PlanCache.ts'
import { readBody } from './readBody.ts'
import { preRequest, requestSettings } from './requestSettings.ts'
import { databaseError } from './respond/databaseError.ts'
import { readAnswer } from './respond/readAnswer.ts'
import { renderAnswer } from './respond/renderAnswer.ts'
import type { Rendered } from './respond/rendered.ts'
import { renderOptions } from './respond/renderOptions.ts'
import { renderPlan } from './respond/renderPlan.ts'
import type { Incoming, RestContext } from './RestContext.ts'
import type { SchemaCache } from './schemaCache/schemaCache.ts'
import { bindValues } from './sql/bindValues.ts'
import { requestSql } from './sql/requestSql.ts'
import type { Statement } from './sql/requestSql.ts'

/** A body may fill this much memory, a few times over, before PostgreSQL has it. */
const LARGEST_BODY_BYTES = 10 * 1024 * 1024

const constraintsNow: QueryConfig = { text: 'SET CONSTRAINTS ALL IMMEDIATE' }

/** The pipeline: parse, plan, write SQL, run it as the caller, render. Throws RestError and the pool's errors. */
export async function runRequest(context: RestContext, incoming: Incoming): Promise<Rendered> {
  const { cache, plans, caller, raw, path, search, headers, timing } = incoming
  const request = parseRequest({
    method: raw.method,
    path,
    search,
    headers,
    settings: context.settings,
  })
  if (request.action === 'inspect') return answerOptions(context, incoming, request)
  if (request.action === 'describe') return answerDescription(context, incoming, request)
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
  if (rollback) statements.push(constraintsNow)
  const readOnly = plan.kind === 'read' || (plan.kind === 'call' && plan.isReadOnly)
  const before = preRequest(context.settings)
  const isolation = plan.kind === 'call' ? plan.routine.isolation : null
  try {
    const all = await asCaller(
      context.pool,
      {
        caller,
        settings,
        readOnly,
        isolation,
        leavesSessionState: context.untidy,
        rollback,
        signal: raw.signal,
        admitRow: (bytes) => refuseResponse(incoming, bytes),
      },
      [...before, ...statements],
    )
    timing?.end('transaction')
    const results = all.slice(before.length)
    const [rows, guessed] = results.map((result) => result.rows as unknown as RowBytes[])
    if (plan.output.explain) return renderPlan(request, plan, rows!)
    return renderAnswer(request, plan, readAnswer(rows![0]!, guessed?.[0]), {
      maxRows: context.settings.maxRows,
      canonical: canonical(search),
    })
  } catch (error) {
    if (error instanceof RowRefused) throw error.reason
    throw databaseError(error, caller.role === 'anon') ?? error
  }
}

/** Why so long a response is not received; null where it is. */
function refuseResponse({ maxResponseBytes, lease }: Incoming, bytes: number): RestError | null {
  if (bytes > maxResponseBytes) return errors.responseTooLarge(maxResponseBytes)
  return lease?.take(bytes) === false ? errors.callerHoldsTooMuch() : null
}

function answerOptions(
  { settings }: RestContext,
  { cache, caller }: Incoming,
  request: RestRequest,
): Rendered {
  const query = parseQuery(request.split, request.isRoutine)
  return renderOptions(allowedMethods({ cache, request, query, body: null, role: caller.role, settings }))
}

/** The body where it counts: not of a DELETE, nor of a call by GET. */
async function bodyOf(request: RestRequest, raw: Request, headers: Headers): Promise<Body | null> {
  const { action, method } = request
  const isCall = action === 'call'
  if (action === 'read' || action === 'delete' || (isCall && method !== 'POST')) return null
  const columns = action === 'put' ? null : parseColumns(request.split)
  const sent = await readBody(raw, headers['content-length']?.toString(), LARGEST_BODY_BYTES)
  return parseBody(sent, request.content, { isCall, columns })
}

function prepare(
  { settings }: RestContext,
  o: { cache: SchemaCache; request: RestRequest; body: Body | null; role: string },
): PreparedPlan {
  const { request } = o
  const query = parseQuery(request.split, request.action === 'call' && request.method !== 'POST')
  const plan = planRequest({ ...o, query, settings })
  const sql = requestSql(plan, { maxRows: settings.maxRows, mayGuess: mayGuess(plan.root, o.cache) })
  return { plan, sql, uses: 0, names: new Map() }
}

function statementsOf(
  prepared: PreparedPlan,
  request: RestRequest,
  body: Body | null,
  name: string | undefined,
): TransactionStatement[] {
  const { inputs: asked } = request.split
  const inputs = body?.form ? [...asked, ...body.form.map(([, value]) => value)] : asked
  const toQuery = ({ text, binds }: Statement, preparedAs?: string): TransactionStatement => {
    const values = bindValues(binds, inputs, body?.text ?? null)
    return { text, values, raw: true, ...(preparedAs === undefined ? {} : { name: preparedAs }) }
  }
  const { main, guess } = prepared.sql
  const statements = [toQuery(main, name)]
  if (guess) statements.push(toQuery(guess))
  return statements
}

/** The query in a fixed order, as upstream names the content's location. */
function canonical(search: string): string {
  return search.includes('&') ? search.split('&').sort().join('&') : search
}
