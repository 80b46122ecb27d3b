import { errors } from '../errors.ts'
import type { Body } from '../parse/parseBody.ts'
import type { Media, MediaKind } from '../parse/parseMedia.ts'
import type { Preferences } from '../parse/parsePreferences.ts'
import type { Query, RowRange } from '../parse/query.ts'
import type { QualifiedName } from '../schemaCache/qualifiedName.ts'
import type { Routine, SchemaCache } from '../schemaCache/schemaCache.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import { findRoutine } from './findRoutine.ts'
import type { ChooseOutput } from './negotiate.ts'
import type { Arguments, CallPlan, PlannedLogic, ReadNode } from './plan.ts'
import { planRead, requiredColumns } from './planRead.ts'

export interface CallOptions {
  cache: SchemaCache
  named: QualifiedName
  role: string
  /** POST takes its arguments from the body, GET and HEAD from the query. */
  isPost: boolean
  content: Media
  query: Query
  /** Number of inputs in the query string; those of a form follow. */
  inputCount: number
  body: Body | null
  range: RowRange | null
  settings: RestSettings
  preferences: Preferences
  chooseOutput: ChooseOutput
}

const BODY_TYPES: Partial<Record<MediaKind, string[]>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  octets: ['bytea'],
}

/** Selects the function by its argument names, and plans the call and the SELECT on its rows. */
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
    output: o.chooseOutput(target, root, routine),
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
  // Without a body the parameter has a default, or findRoutine would have failed.
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
    const existing = inputs.get(name)
    if (existing) existing.push(input)
    else inputs.set(name, [input])
  }
  return inputs
}

/** The columns of the function's rows that the SELECT reads, including filtered and ordered ones. */
function returningOf(root: ReadNode): string[] {
  const needed = requiredColumns(root, [])
  return needed.includes('*') ? needed : [...new Set([...needed, ...root.where.flatMap(columnsOf)])]
}

function columnsOf(logic: PlannedLogic): string[] {
  if (logic.kind === 'filter') return [logic.field.name]
  return logic.kind === 'embed' ? [] : logic.items.flatMap(columnsOf)
}
