import { errors } from '../errors.ts'
import type { Body } from '../parse/parseBody.ts'
import type { Media, MediaKind } from '../parse/parseMedia.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { Query, RowRange } from '../parse/query.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { Routine, SchemaCache } from '../schemaCache/schemaCache.ts'
import type { Named } from '../schemaCache/named.ts'
import { columnsNeeded } from './columnsNeeded.ts'
import { findRoutine } from './findRoutine.ts'
import { planRead } from './planRead.ts'
import type { OutputOf } from './negotiate.ts'
import type { Arguments, CallPlan, PlannedLogic, ReadNode } from './plan.ts'

export interface CallOptions {
  cache: SchemaCache
  named: Named
  role: string
  /** POST takes its arguments from the body, GET and HEAD from the query. */
  isPost: boolean
  content: Media
  query: Query
  /** How many values the query string has: those of a form are counted from there on. */
  inputCount: number
  body: Body | null
  range: RowRange | null
  settings: RestSettings
  preferences: Preferences
  outputOf: OutputOf
}

const BODY_TYPES: Partial<Record<MediaKind, string[]>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  octets: ['bytea'],
}

/** Chooses the function by the names of its arguments, and plans the call and the SELECT on its rows. */
export function planCall(o: CallOptions): CallPlan {
  const { preferences } = o
  const given = o.isPost ? (o.body?.keys ?? []) : [...new Set(o.query.args.map(({ name }) => name))]
  const bodyTypes = o.isPost ? (BODY_TYPES[o.content.kind] ?? []) : []
  const routine = findRoutine({ ...o, given, bodyTypes })
  const target = { schema: routine.schema, name: routine.isComposite ? routine.returns.name : routine.name }
  const { root, legacyNames } = planRead({
    cache: o.cache,
    target,
    query: o.query,
    role: o.role,
    range: o.range,
    settings: o.settings,
    source: 'call',
  })
  if (preferences.maxAffected !== null && preferences.handling === 'strict' && !routine.isSet) {
    throw errors.maxAffectedSingle()
  }
  return {
    kind: 'call',
    routine,
    given,
    arguments: planArguments(o, routine, given),
    returning: returningOf(root),
    isReadOnly: !o.isPost || routine.volatility !== 'volatile',
    root,
    output: o.outputOf(target, root, routine),
    preferences,
    legacyNames,
  }
}

function planArguments(
  { isPost, query, body, inputCount }: CallOptions,
  routine: Routine,
  given: string[],
): Arguments {
  const [only] = routine.parameters
  // Without a body its default stands in, or there would have been no such function.
  if (routine.parameters.length === 1 && only?.name === '') {
    return { kind: body && !body.form ? 'body' : 'none' }
  }
  if (given.length === 0) return { kind: 'none' }
  if (!isPost) return { kind: 'inputs', inputs: byName(query.args) }
  if (!body?.form) return { kind: 'json', isObject: body?.isObject ?? false }
  return { kind: 'inputs', inputs: byName(body.form.map(([name], i) => ({ name, input: inputCount + i }))) }
}

function byName(args: Query['args']): Map<string, number[]> {
  const inputs = new Map<string, number[]>()
  for (const { name, input } of args) {
    const known = inputs.get(name)
    if (known) known.push(input)
    else inputs.set(name, [input])
  }
  return inputs
}

/** What the SELECT reads of the function's rows; filtered and ordered columns belong to it. */
function returningOf(root: ReadNode): string[] {
  const needed = columnsNeeded(root, [])
  return needed.includes('*') ? needed : [...new Set([...needed, ...root.where.flatMap(columnsOf)])]
}

function columnsOf(logic: PlannedLogic): string[] {
  if (logic.kind === 'filter') return [logic.field.name]
  return logic.kind === 'embed' ? [] : logic.items.flatMap(columnsOf)
}
