import { randomUUID } from 'node:crypto'
import type { Answer } from './Asker.ts'
import { argumentsOf, filtersOf, type Names } from './given.ts'
import type { Actor, Row } from './readRows.ts'
import type { MatrixWorld } from './world.ts'

/** What came of a try: in the words of the cells, and all that was answered. */
export interface Outcome {
  outcome: string
  /** Everything that the actor was told, to be searched for what they must not know. */
  told: string
  /** What the actor named themselves, which an answer may repeat. */
  named: string
}

/** No cell leaves anything behind: whatever was done is taken back before it is answered. */
const trial = { prefer: 'tx=rollback, count=exact' }

/**
 * The words of the cells: `yes`, `–` (nothing seen, nothing changed), `denied` by row security or grants, the name of a
 * refusal or of a broken constraint. Anything else is told as it came.
 */
function outcomeOf({ status, headers, text }: Answer): string {
  if (status < 300) {
    if (!String(headers['preference-applied']).includes('tx=rollback')) return 'not taken back'
    const count = /\/(\d+)$/.exec(String(headers['content-range'] ?? ''))?.[1]
    return count === '0' ? '–' : 'yes'
  }
  const { code, message, details, hint } = JSON.parse(text) as Record<string, string | null>
  const constraint = code?.startsWith('23') ? /constraint "(\w+)"/.exec(message!)?.[1] : undefined
  if (constraint !== undefined) return constraint
  if (details !== null || hint !== null) return `${code} with more than a name`
  if (code === '42501') return 'denied'
  if (code?.startsWith('PT') && status === Number(code.slice(2))) return String(message)
  return `${status} ${code} ${message}`
}

/** The request that a line of cells stands for. */
function requestOf(row: Row, names: Names): { method: string; path: string; body: string | undefined } {
  const [object, way, where] = row.said as [string, string, string | undefined]
  if (row.kind === 'function') {
    const body = JSON.stringify(argumentsOf(way, names))
    return { method: 'POST', path: `/rest/v1/rpc/${object}`, body }
  }
  const [verb, ...rest] = way.split(' ')
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
      throw new Error(`${row.at}: ${verb} is no way to use a table`)
  }
}

/** Every id that the world knows, replaced by the ids of nothing. */
const nowhere = (names: Names): Names =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [name, name === 'me' ? value : randomUUID()]),
  )

async function sent(world: MatrixWorld, row: Row, actor: Actor, names: Names): Promise<Outcome & Answer> {
  const { method, path, body } = requestOf(row, names)
  const answer = await world.asker.ask(path, world.token(actor), { method, body, headers: trial })
  return { ...answer, outcome: outcomeOf(answer), told: answer.text, named: `${path} ${body}` }
}

/**
 * Tries a line of cells on a table or function as that actor. What is refused must be refused in the same words as
 * what is nowhere, or the refusal itself would tell that it is there.
 */
export async function tryRest(world: MatrixWorld, row: Row, actor: Actor): Promise<Outcome> {
  const tried = await sent(world, row, actor, world.namesFor(actor))
  if (tried.outcome !== 'not_found') return tried
  const words = await refusalOfNothing(world, row, actor)
  return words === tried.text ? tried : { ...tried, outcome: `not_found, where nothing is ${words}` }
}

const refusals = new WeakMap<MatrixWorld, Map<string, Promise<string>>>()

/** What this actor is told where nothing is: one answer for all lines that ask alike but for the ids. */
async function refusalOfNothing(world: MatrixWorld, row: Row, actor: Actor): Promise<string> {
  const known = refusals.get(world) ?? new Map<string, Promise<string>>()
  refusals.set(world, known)
  const form = `${actor} ${row.said[0]} ${row.said[1]!.replaceAll(/=(\[[^\]]*\]|\w+)/g, '=')}`
  const asked =
    known.get(form) ?? sent(world, row, actor, nowhere(world.namesFor(actor))).then(({ text }) => text)
  known.set(form, asked)
  return asked
}

/** Whether rows that a line of cells is about are there (Bea's, where they are one's own), asked by the service. */
export async function isThere(world: MatrixWorld, row: Row): Promise<boolean> {
  const [object, , where] = row.said as [string, string, string | undefined]
  const path = `/rest/v1/${object}?limit=1${filtersOf(where ?? '', world.namesFor('bea'))}`
  const answer = await world.asker.ask(path, world.backend.serviceRoleKey, { headers: trial })
  return answer.status < 300 && answer.text !== '[]'
}
