import { errors } from '../errors.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Plan, ReadPlan, WritePlan } from '../plan/plan.ts'
import { applyResponseSettings } from './applyResponseSettings.ts'
import type { StatementResult } from './parseResult.ts'
import { isValidHeader } from './renderHeaders.ts'
import { contentHeaders, vary, type RestResponse } from './restResponse.ts'

/** Renders the result row as status, headers and body. Throws RestError (406, 416, 500). */
export function renderResponse(
  request: RestRequest,
  plan: Plan,
  result: StatementResult,
  o: { maxRows: number | null; canonicalQuery: string },
): RestResponse {
  // A function that doesn't return a set has one result, also if filters exclude it.
  const finalResult = plan.kind === 'call' && !plan.routine.isSet ? { ...result, rows: 1 } : result
  if (plan.output.isSingular && finalResult.rows !== 1) throw errors.notSingular(finalResult.rows)
  const rendered =
    plan.kind === 'read' || plan.kind === 'call'
      ? renderRows(request, plan, finalResult, o)
      : renderWrite(request, plan, finalResult)
  const applied = renderPreferenceApplied(plan)
  if (applied !== '') rendered.headers['Preference-Applied'] = applied
  Object.assign(rendered.headers, vary)
  const warning = renderWarning(plan.legacyNames)
  if (warning) rendered.headers.Warning = warning
  return applyResponseSettings(rendered, finalResult)
}

function renderRows(
  request: RestRequest,
  plan: Exclude<Plan, WritePlan>,
  finalResult: StatementResult,
  o: { maxRows: number | null; canonicalQuery: string },
): RestResponse {
  const { rows } = finalResult
  const total = totalOf(plan, finalResult, o.maxRows)
  const offset = request.range?.offset ?? 0
  if (total !== null && offset > total) {
    throw errors.range(`An offset of ${offset} was requested, but there are only ${total} rows.`, {
      'Content-Range': `*/${total}`,
    })
  }
  const headers: Record<string, string> = { 'Content-Range': contentRange(offset, offset + rows - 1, total) }
  if (plan.kind === 'call' && plan.routine.isVoid) return { status: 204, headers, body: null }
  if (plan.kind === 'read') {
    headers['Content-Location'] =
      `/${encodeURIComponent(request.name)}${o.canonicalQuery === '' ? '' : `?${o.canonicalQuery}`}`
  }
  Object.assign(headers, contentHeaders(request, plan.output.media))
  const status = total !== null && rows < total ? 206 : 200
  return { status, headers, body: request.headersOnly ? null : contentOf(plan, finalResult) }
}

/** Returns the body, which is empty if a handler returned null. */
function contentOf({ output: { rendering } }: Plan, { body }: StatementResult): string | Uint8Array {
  const isBytes =
    rendering.kind === 'value'
      ? rendering.isBytes
      : rendering.kind === 'aggregate' && rendering.handler.isBytes
  if (body === null) return ''
  return isBytes ? Buffer.from(body.toString('latin1'), 'hex') : body
}

/** Returns the total number of rows, as requested by `count`. */
function totalOf(
  plan: Exclude<Plan, WritePlan>,
  { total, planned }: StatementResult,
  maxRows: number | null,
): number | null {
  const counted = total === null ? null : Number(total)
  switch (plan.preferences.count) {
    case 'planned':
      return planned ?? counted
    case 'estimated':
      // Without a limit, upstream always uses the estimate.
      return counted !== null && planned !== null && (maxRows === null || counted > maxRows)
        ? Math.max(counted, planned)
        : counted
    default:
      return counted
  }
}

function contentRange(lower: number, upper: number, total: number | null): string {
  const rows = total !== 0 && lower <= upper ? `${lower}-${upper}` : '*'
  return `${rows}/${total ?? '*'}`
}

function renderWrite(request: RestRequest, plan: WritePlan, finalResult: StatementResult): RestResponse {
  const { preferences } = plan
  const total = preferences.count === 'exact' || preferences.count === 'estimated' ? finalResult.rows : null
  const headers: Record<string, string> = {}
  if (finalResult.location !== null) headers.Location = renderLocation(plan, finalResult.location)
  if (plan.kind === 'insert' || plan.kind === 'delete') headers['Content-Range'] = contentRange(1, 0, total)
  else if (plan.kind === 'update') headers['Content-Range'] = contentRange(0, finalResult.rows - 1, total)
  const returnsRows = preferences.return === 'representation'
  if (returnsRows) Object.assign(headers, contentHeaders(request, plan.output.media))
  return {
    status: writeStatus(plan, finalResult),
    headers,
    body: returnsRows ? contentOf(plan, finalResult) : null,
  }
}

function writeStatus(plan: WritePlan, { inserted }: StatementResult): number {
  const created = plan.countsInserted && Number(inserted ?? 0) <= 0 ? 200 : 201
  if (plan.kind === 'insert') return created
  if (plan.preferences.return !== 'representation') return 204
  return plan.kind === 'put' ? created : 200
}

/** Renders the location of the new row: `/table?id=eq.1`. */
function renderLocation(plan: WritePlan, location: string): string {
  const key = JSON.parse(location) as Record<string, string | null>
  const pairs = plan.primaryKey.map((name) => {
    const value = key[name] ?? null
    return `${encodeURIComponent(name)}=${value === null ? 'is.null' : encodeURIComponent(`eq.${value}`)}`
  })
  return `/${encodeURIComponent(plan.table.name)}?${pairs.join('&')}`
}

/**
 * Renders the deprecation warning for a filter that names the table of an embed with an alias. Such a filter still
 * works.
 */
function renderWarning(names: ReadPlan['legacyNames']): string | null {
  if (names.length === 0) return null
  const changes = names.map(([name, alias]) => `\`${name}\` to \`${alias}\``).join(', ')
  const warning =
    '299 PostgREST "Embedded resource was referenced by relation name even though it has an alias. This is ' +
    'deprecated and will stop working in a future release. ' +
    `Update ${changes} in query string filters, orders or limits."`
  return isValidHeader('Warning', warning) ? warning : null
}

/** Renders `Preference-Applied`: the preferences with an effect, in upstream's order; empty for none. */
export function renderPreferenceApplied(plan: Plan): string {
  const { preferences } = plan
  const isWrite = plan.kind !== 'read' && plan.kind !== 'call'
  const applied: (keyof Preferences)[] = []
  if (plan.kind === 'insert' && plan.conflict) applied.push('resolution')
  if (plan.kind === 'insert' || plan.kind === 'update') applied.push('missing')
  if (isWrite) applied.push('return')
  applied.push('count', 'tx', 'handling', 'timezone')
  const named = applied.flatMap((name) =>
    preferences[name] === null ? [] : [`${name}=${String(preferences[name])}`],
  )
  const limits = plan.kind === 'update' || plan.kind === 'delete' || plan.kind === 'call'
  if (limits && preferences.handling === 'strict' && preferences.maxAffected !== null) {
    named.push(`max-affected=${preferences.maxAffected}`)
  }
  return named.join(', ')
}
