import { errors } from '../errors.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import type { Plan, ReadPlan, WritePlan } from '../plan/plan.ts'
import { contentHeaders, vary } from './contentHeaders.ts'
import { overrideAnswer } from './overrideAnswer.ts'
import type { Answer } from './readAnswer.ts'
import { renderApplied } from './renderApplied.ts'
import type { Rendered } from './rendered.ts'
import { isHeader } from './renderHeaders.ts'

/** Turns the database's row into status, headers and body. Throws RestError (406, 416, 500). */
export function renderAnswer(
  request: RestRequest,
  plan: Plan,
  told: Answer,
  o: { maxRows: number | null; canonical: string },
): Rendered {
  // What gives no set gives one result, whatever the filters leave of it.
  const answer = plan.kind === 'call' && !plan.routine.isSet ? { ...told, rows: 1 } : told
  if (plan.output.isSingular && answer.rows !== 1) throw errors.notSingular(answer.rows)
  const rendered =
    plan.kind === 'read' || plan.kind === 'call'
      ? renderRows(request, plan, answer, o)
      : renderWrite(request, plan, answer)
  const applied = renderApplied(plan)
  if (applied !== '') rendered.headers['Preference-Applied'] = applied
  Object.assign(rendered.headers, vary)
  const warning = renderWarning(plan.legacyNames)
  if (warning) rendered.headers.Warning = warning
  return overrideAnswer(rendered, answer)
}

function renderRows(
  request: RestRequest,
  plan: Exclude<Plan, WritePlan>,
  answer: Answer,
  o: { maxRows: number | null; canonical: string },
): Rendered {
  const { rows } = answer
  const total = totalOf(plan, answer, o.maxRows)
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
      `/${encodeURIComponent(request.name)}${o.canonical === '' ? '' : `?${o.canonical}`}`
  }
  Object.assign(headers, contentHeaders(request, plan.output.media))
  const status = total !== null && rows < total ? 206 : 200
  return { status, headers, body: request.headersOnly ? null : contentOf(plan, answer) }
}

/** What a handler has made no content of is empty. */
function contentOf({ output: { rendering } }: Plan, { body }: Answer): string | Uint8Array {
  const isBytes =
    rendering.kind === 'value'
      ? rendering.isBytes
      : rendering.kind === 'aggregate' && rendering.handler.isBytes
  if (body === null) return ''
  return isBytes ? Buffer.from(body.toString('latin1'), 'hex') : body
}

/** How many rows there are, as far as the request wants to know. */
function totalOf(
  plan: Exclude<Plan, WritePlan>,
  { total, planned }: Answer,
  maxRows: number | null,
): number | null {
  const counted = total === null ? null : Number(total)
  switch (plan.preferences.count) {
    case 'planned':
      return planned ?? counted
    case 'estimated':
      // Where no limit is set, upstream takes any number of rows for more than that.
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

function renderWrite(request: RestRequest, plan: WritePlan, answer: Answer): Rendered {
  const { preferences } = plan
  const total = preferences.count === 'exact' || preferences.count === 'estimated' ? answer.rows : null
  const headers: Record<string, string> = {}
  if (answer.location !== null) headers.Location = renderLocation(plan, answer.location)
  if (plan.kind === 'insert' || plan.kind === 'delete') headers['Content-Range'] = contentRange(1, 0, total)
  else if (plan.kind === 'update') headers['Content-Range'] = contentRange(0, answer.rows - 1, total)
  const answersRows = preferences.return === 'representation'
  if (answersRows) Object.assign(headers, contentHeaders(request, plan.output.media))
  return { status: writeStatus(plan, answer), headers, body: answersRows ? contentOf(plan, answer) : null }
}

function writeStatus(plan: WritePlan, { inserted }: Answer): number {
  const created = plan.countsInserted && Number(inserted ?? 0) <= 0 ? 200 : 201
  if (plan.kind === 'insert') return created
  if (plan.preferences.return !== 'representation') return 204
  return plan.kind === 'put' ? created : 200
}

/** `/table?id=eq.1` names the one new row. */
function renderLocation(plan: WritePlan, location: string): string {
  const key = JSON.parse(location) as Record<string, string | null>
  const pairs = plan.primaryKey.map((name) => {
    const value = key[name] ?? null
    return `${encodeURIComponent(name)}=${value === null ? 'is.null' : encodeURIComponent(`eq.${value}`)}`
  })
  return `/${encodeURIComponent(plan.table.name)}?${pairs.join('&')}`
}

/** Filters by the table's name over an embed that has an alias still work, and say that they shouldn't. */
function renderWarning(names: ReadPlan['legacyNames']): string | null {
  if (names.length === 0) return null
  const changes = names.map(([name, alias]) => `\`${name}\` to \`${alias}\``).join(', ')
  const warning =
    '299 PostgREST "Embedded resource was referenced by relation name even though it has an alias. This is ' +
    'deprecated and will stop working in a future release. ' +
    `Update ${changes} in query string filters, orders or limits."`
  return isHeader('Warning', warning) ? warning : null
}
