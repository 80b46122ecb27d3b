import { expect } from 'vitest'

type Json = Record<string, unknown>

const ROOT_KEYS = [
  'swagger',
  'info',
  'host',
  'basePath',
  'schemes',
  'consumes',
  'produces',
  'paths',
  'definitions',
  'parameters',
  'securityDefinitions',
  'security',
  'externalDocs',
]
const OPERATION_KEYS = ['tags', 'summary', 'description', 'produces', 'parameters', 'responses']
const VALUE_KEYS = ['type', 'format', 'enum', 'default', 'items', 'collectionFormat']
const PLAIN_KEYS = ['name', 'in', 'required', 'description', ...VALUE_KEYS]
const BODY_KEYS = ['name', 'in', 'required', 'description', 'schema']
const SCHEMA_KEYS = [
  'type',
  'format',
  'description',
  'default',
  'enum',
  'maxLength',
  'items',
  'properties',
  'required',
]
const TYPES = ['string', 'boolean', 'integer', 'number', 'array']

/** Validates a document against the used parts of OpenAPI 2.0: keys, types, references. */
export function expectOpenApi(document: unknown): void {
  const root = document as Json
  const wrong: string[] = []
  const check = (isRight: unknown, what: string): void => {
    if (!isRight) wrong.push(what)
  }
  const onlyKeys = (object: Json, keys: string[], at: string): void => {
    for (const key of Object.keys(object)) check(keys.includes(key), `${at} has ${key}`)
  }
  const isText = (value: unknown): boolean => typeof value === 'string'
  const resolve = (reference: string): Json | undefined => {
    const steps = reference
      .split('/')
      .slice(1)
      .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    return steps.reduce<unknown>((object, step) => (object as Json | undefined)?.[step], root) as
      | Json
      | undefined
  }

  const checkSchema = (schema: Json, at: string): void => {
    if (schema.$ref !== undefined)
      return check(resolve(schema.$ref as string), `${at}: ${schema.$ref} is nowhere`)
    onlyKeys(schema, SCHEMA_KEYS, at)
    check(schema.type === undefined || [...TYPES, 'object'].includes(schema.type as string), `${at}: type`)
    check((schema.type === 'array') === (schema.items !== undefined), `${at}: items`)
    check(schema.maxLength === undefined || Number.isInteger(schema.maxLength), `${at}: maxLength`)
    if (schema.items) checkSchema(schema.items as Json, `${at}[]`)
    const properties = (schema.properties ?? {}) as Record<string, Json>
    for (const [name, property] of Object.entries(properties)) checkSchema(property, `${at}.${name}`)
    if (schema.required === undefined) return
    const required = schema.required as string[]
    check(required.length > 0 && new Set(required).size === required.length, `${at}: required`)
    for (const name of required) check(Object.hasOwn(properties, name), `${at}: requires ${name}`)
  }

  const checkParameter = (parameter: Json, at: string): void => {
    check(isText(parameter.name) && typeof parameter.required === 'boolean', `${at}: name, required`)
    if (parameter.in === 'body') {
      onlyKeys(parameter, BODY_KEYS, at)
      return checkSchema(parameter.schema as Json, at)
    }
    onlyKeys(parameter, PLAIN_KEYS, at)
    check(parameter.in === 'query' || parameter.in === 'header', `${at}: in`)
    check(TYPES.includes(parameter.type as string), `${at}: type ${String(parameter.type)}`)
    check((parameter.type === 'array') === (parameter.items !== undefined), `${at}: items`)
    check(parameter.collectionFormat === undefined || parameter.type === 'array', `${at}: collectionFormat`)
    check(parameter.enum === undefined || (parameter.enum as []).length > 0, `${at}: enum`)
  }

  const checkOperation = (operation: Json, at: string): void => {
    onlyKeys(operation, OPERATION_KEYS, at)
    const responses = Object.entries((operation.responses ?? {}) as Record<string, Json>)
    check(responses.length > 0, `${at}: responses`)
    for (const [status, response] of responses) {
      check(/^\d{3}$/.test(status) && isText(response.description), `${at}: response ${status}`)
      if (response.schema) checkSchema(response.schema as Json, at)
    }
    const seen = new Set<string>()
    for (const parameter of (operation.parameters ?? []) as Json[]) {
      const meant = parameter.$ref === undefined ? parameter : resolve(parameter.$ref as string)
      check(meant, `${at}: ${String(parameter.$ref)} is nowhere`)
      if (!meant) continue
      checkParameter(meant, at)
      const key = meant.in === 'body' ? 'body' : `${String(meant.in)} ${String(meant.name)}`
      check(!seen.has(key), `${at}: ${key} twice`)
      seen.add(key)
    }
  }

  onlyKeys(root, ROOT_KEYS, 'the document')
  check(root.swagger === '2.0', 'swagger')
  const info = root.info as Json
  check(isText(info.title) && isText(info.version), 'info')
  check(/^[^{}/ :\\]+(?::\d+)?$/.test(root.host as string), `host ${String(root.host)}`)
  check((root.basePath as string).startsWith('/'), `basePath ${String(root.basePath)}`)
  for (const [path, item] of Object.entries(root.paths as Record<string, Json>)) {
    check(path.startsWith('/'), `path ${path}`)
    onlyKeys(item, ['get', 'post', 'patch', 'delete'], path)
    for (const [verb, operation] of Object.entries(item)) checkOperation(operation as Json, `${verb} ${path}`)
  }
  for (const [name, schema] of Object.entries(root.definitions as Record<string, Json>))
    checkSchema(schema, name)
  for (const [name, each] of Object.entries(root.parameters as Record<string, Json>))
    checkParameter(each, name)
  for (const requirement of (root.security ?? []) as Json[]) {
    for (const name of Object.keys(requirement))
      check(resolve(`#/securityDefinitions/${name}`), `security ${name}`)
  }
  expect(wrong).toEqual([])
}
