import type { Parameter, Routine } from '../../rest/schemaCache/schemaCache.ts'
import { describeType, elementOf, formatOf, valueType } from './describeType.ts'
import {
  createReference,
  type BodyParameter,
  type Operation,
  type PathItem,
  type PlainParameter,
  type Schema,
} from './document.ts'
import { splitComment, type RoutineDetails } from './schemaDetails.ts'

/** JSON in all forms, but no CSV, as the rows of a function may differ. */
const PRODUCES = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
]

type Argument = Parameter & { written: string }

/** The operations of a function: POST, and GET unless it is volatile. */
export function routinePath(routine: Routine, { comment, types }: RoutineDetails): PathItem {
  const { first: summary, rest: description } = splitComment(comment)
  const args = routine.parameters.map((each, i): Argument => ({ ...each, written: types[i] ?? each.type }))
  const operation = (parameters: Operation['parameters'] & object): Operation => ({
    tags: [`(rpc) ${routine.name}`],
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    produces: PRODUCES,
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: { description: 'OK' } },
  })
  const post = operation([bodyOf(args, comment), createReference('parameters', 'preferParams')])
  return routine.volatility === 'volatile' ? { post } : { get: operation(args.map(queryParameter)), post }
}

function bodyOf(args: Argument[], comment: string | null): BodyParameter {
  const required = args.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const properties = args.map(({ name, written }) => [name, describeType(written)] as const)
  const schema: Schema = {
    type: 'object',
    ...(comment !== null && { description: comment }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
  }
  return { name: 'args', in: 'body', required: true, schema }
}

/** A variadic argument is repeated for each value; an array is written as in PostgreSQL, in braces. */
function queryParameter({ name, written, isRequired, isVariadic }: Argument): PlainParameter {
  const base = { name, in: 'query', required: isRequired } as const
  const type = valueType(written)
  if (isVariadic && type === 'array') {
    const element = elementOf(written)
    const items = { type: valueType(element) ?? 'string', format: formatOf(element) }
    return { ...base, type, items, collectionFormat: 'multi' }
  }
  return { ...base, type: type === null || type === 'array' ? 'string' : type, format: formatOf(written) }
}
