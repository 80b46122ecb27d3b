import { errors } from '../errors.ts'
import { type QualifiedName, keyOf } from '../schemaCache/qualifiedName.ts'
import type { Routine, SchemaCache } from '../schemaCache/schemaCache.ts'
import { suggestName } from '../schemaCache/suggestName.ts'

export interface RoutineLookup {
  cache: SchemaCache
  named: QualifiedName
  /** Only functions that this role can execute are suggested. */
  role: string
  /** Names of the given arguments. */
  given: string[]
  /** Possible types of a single unnamed parameter for the body; empty without a body. */
  bodyTypes: string[]
}

/**
 * The overload with exactly the given arguments (those with defaults are optional), else the one that takes the whole
 * body. Throws PGRST202 (none) and PGRST203 (several).
 */
export function findRoutine(o: RoutineLookup): Routine {
  const overloads = o.cache.routines.get(keyOf(o.named.schema, o.named.name)) ?? []
  const byNames = overloads.filter((routine) => takesNames(routine, o))
  const candidates =
    byNames.length > 0 ? byNames : overloads.filter((routine) => takesBody(routine, o.bodyTypes))
  if (candidates.length === 1) return candidates[0]!
  // Signatures of functions that the role can't execute are not revealed.
  const executable = candidates.filter(({ roles }) => roles.includes(o.role))
  if (executable.length === 0) throw notFound(o, overloads)
  throw errors.ambiguousFunction(executable.map(signature))
}

/** The type of a non-JSON body, which can only be taken as a whole; null for others. */
function rawType({ bodyTypes }: RoutineLookup): string | null {
  return bodyTypes.includes('json') ? null : (bodyTypes[0] ?? null)
}

function takesNames({ parameters }: Routine, o: RoutineLookup): boolean {
  const { given } = o
  if (parameters.length === 0) return given.length === 0 && rawType(o) === null
  const names = new Set(parameters.map(({ name }) => name))
  return (
    given.every((name) => names.has(name)) &&
    parameters.every(({ name, isRequired }) => !isRequired || given.includes(name))
  )
}

function takesBody({ parameters }: Routine, bodyTypes: string[]): boolean {
  const [only] = parameters
  return parameters.length === 1 && only!.name === '' && bodyTypes.includes(only!.type)
}

function signature({ schema, name, parameters }: Routine): string {
  return `${schema}.${name}(${parameters.map((parameter) => `${parameter.name} => ${parameter.type}`).join(', ')})`
}

function notFound(o: RoutineLookup, overloads: Routine[]): Error {
  const { schema, name } = o.named
  const raw = rawType(o)
  if (raw !== null) {
    return errors.noFunction(
      `Could not find the function ${schema}.${name} in the schema cache`,
      searchedDetails(`${schema}.${name} with a single unnamed ${raw} parameter`),
      null,
    )
  }
  const list = o.given.join(', ')
  const call = o.given.length === 0 ? ' without parameters' : `(${list})`
  const parameters = o.given.length === 0 ? call : ` with parameter${o.given.length > 1 ? 's' : ''} ${list}`
  const orWhole = o.bodyTypes.length > 0 ? ' or with a single unnamed json/jsonb parameter' : ''
  return errors.noFunction(
    `Could not find the function ${schema}.${name}${call} in the schema cache`,
    searchedDetails(`${schema}.${name}${parameters}${orWhole}`),
    suggest(o, overloads),
  )
}

function searchedDetails(description: string): string {
  return `Searched for the function ${description}, but no matches were found in the schema cache.`
}

function suggest({ cache, named, role, given }: RoutineLookup, overloads: Routine[]): string | null {
  const isExecutable = (routine: Routine): boolean => routine.roles.includes(role)
  let best: string | null
  if (overloads.length === 0) {
    const executable = [...cache.routines.values()].flat().filter(isExecutable)
    best = suggestName(
      named.name,
      executable.flatMap((routine) => (routine.schema === named.schema ? [routine.name] : [])),
    )
  } else {
    const lists = overloads
      .filter(isExecutable)
      .map(({ parameters }) => listOf(parameters.map(({ name }) => name)))
    const list = suggestName(listOf(given), lists, 0.33)
    best = list === null ? null : named.name + list
  }
  return best === null ? null : `Perhaps you meant to call the function ${named.schema}.${best}`
}

function listOf(names: string[]): string {
  return `(${names.toSorted().join(', ')})`
}
