import { randomUUID } from 'node:crypto'
import type { HttpResponse } from './PipelinedClient.ts'
import { argumentsOf, filtersOf, type Names } from './namedValues.ts'
import type { Actor, Row } from './readMatrix.ts'
import type { PermissionFixture } from './fixture.ts'

/** The outcome of a case, and the whole response. */
export interface Outcome {
  outcome: string
  /** Everything that the actor received, to be searched for secrets. */
  received: string
  /** What the actor sent, which a response may repeat. */
  sent: string
}

/** Every request is rolled back, so that no case changes anything. */
const rollbackHeaders = { prefer: 'tx=rollback, count=exact' }

/**
 * Outcomes: `yes`, `–` (no rows seen or changed), `denied` by row security or grants, the name of an error or of a
 * violated constraint. Any other response is returned as it is.
 */
function outcomeOf({ status, headers, text }: HttpResponse): string {
  if (status < 300) {
    if (!String(headers['preference-applied']).includes('tx=rollback')) return 'not rolled back'
    const count = /\/(\d+)$/.exec(String(headers['content-range'] ?? ''))?.[1]
    return count === '0' ? '–' : 'yes'
  }
  const { code, message, details, hint } = JSON.parse(text) as Record<string, string | null>
  const constraint = code?.startsWith('23') ? /constraint "(\w+)"/.exec(message!)?.[1] : undefined
  if (constraint !== undefined) return constraint
  if (details !== null || hint !== null) return `${code} with details`
  if (code === '42501') return 'denied'
  if (code?.startsWith('PT') && status === Number(code.slice(2))) return String(message)
  return `${status} ${code} ${message}`
}

/** The request of a matrix row. */
function requestOf(row: Row, names: Names): { method: string; path: string; body: string | undefined } {
  const [object, operation, where] = row.target as [string, string, string | undefined]
  if (row.kind === 'function') {
    const body = JSON.stringify(argumentsOf(operation, names))
    return { method: 'POST', path: `/rest/v1/rpc/${object}`, body }
  }
  const [verb, ...rest] = operation.split(' ')
  const given = rest.join(' ')
  const path = `/rest/v1/${object}?${verb === 'select' ? `select=${given.replaceAll(' ', '')}` : ''}`
  const filters = filtersOf(where ?? '', names)
  switch (verb) {
    case 'select':
      return { method: 'GET', path: path + filters, body: undefined }
    case 'insert':
      return { method: 'POST', path, body: JSON.stringify(argumentsOf(given, names)) }
    case 'update':
      return { method: 'PATCH', path: path + filters, body: JSON.stringify(argumentsOf(given, names)) }
    case 'delete':
      return { method: 'DELETE', path: path + filters, body: undefined }
    default:
      throw new Error(`${row.at}: ${verb} is no operation on a table`)
  }
}

/** The names with ids that do not exist. */
const withUnknownIds = (names: Names): Names =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [name, name === 'me' ? value : randomUUID()]),
  )

async function execute(
  fixture: PermissionFixture,
  row: Row,
  actor: Actor,
  names: Names,
): Promise<Outcome & HttpResponse> {
  const { method, path, body } = requestOf(row, names)
  const answer = await fixture.client.request(path, fixture.token(actor), {
    method,
    body,
    headers: rollbackHeaders,
  })
  return { ...answer, outcome: outcomeOf(answer), received: answer.text, sent: `${path} ${body}` }
}

/**
 * Executes a row of a table or function as that actor. A `not_found` must equal the response for ids that do not exist,
 * or it would reveal that the object exists.
 */
export async function checkRest(fixture: PermissionFixture, row: Row, actor: Actor): Promise<Outcome> {
  const outcome = await execute(fixture, row, actor, fixture.namesFor(actor))
  if (outcome.outcome !== 'not_found') return outcome
  const text = await refusalForUnknownIds(fixture, row, actor)
  return text === outcome.text ? outcome : { ...outcome, outcome: `not_found, but for unknown ids ${text}` }
}

const refusals = new WeakMap<PermissionFixture, Map<string, Promise<string>>>()

/** The response to this actor for unknown ids: one for all rows that differ only in ids. */
async function refusalForUnknownIds(fixture: PermissionFixture, row: Row, actor: Actor): Promise<string> {
  const existing = refusals.get(fixture) ?? new Map<string, Promise<string>>()
  refusals.set(fixture, existing)
  const form = `${actor} ${row.target[0]} ${row.target[1]!.replaceAll(/=(\[[^\]]*\]|\w+)/g, '=')}`
  const request =
    existing.get(form) ??
    execute(fixture, row, actor, withUnknownIds(fixture.namesFor(actor))).then(({ text }) => text)
  existing.set(form, request)
  return request
}

/** Whether the service sees rows that match a matrix row (Bea's, where `me` is used). */
export async function hasRows(fixture: PermissionFixture, row: Row): Promise<boolean> {
  const [object, , where] = row.target as [string, string, string | undefined]
  const path = `/rest/v1/${object}?limit=1${filtersOf(where ?? '', fixture.namesFor('bea'))}`
  const answer = await fixture.client.request(path, fixture.backend.serviceRoleKey, {
    headers: rollbackHeaders,
  })
  return answer.status < 300 && answer.text !== '[]'
}
