/** The used parts of an OpenAPI 2.0 ("Swagger") document. */
export interface OpenApiDocument {
  swagger: '2.0'
  info: { version: string; title: string; description: string }
  host: string
  basePath: string
  schemes: string[]
  consumes: string[]
  produces: string[]
  paths: Record<string, PathItem>
  definitions: Record<string, Schema>
  parameters: Record<string, Parameter>
  securityDefinitions?: Record<string, { type: 'apiKey'; name: string; in: 'header'; description: string }>
  security?: Record<string, string[]>[]
  externalDocs: { description: string; url: string }
}

export type Verb = 'get' | 'post' | 'patch' | 'delete'

export type PathItem = Partial<Record<Verb, Operation>>

export interface Operation {
  tags: string[]
  summary?: string
  description?: string
  produces?: string[]
  parameters?: (Parameter | Reference)[]
  responses: Record<string, { description: string; schema?: Schema }>
}

export interface Reference {
  $ref: string
}

export type ValueType = 'string' | 'boolean' | 'integer' | 'number' | 'array'

/** A parameter in the query or a header. */
export interface PlainParameter {
  name: string
  in: 'query' | 'header'
  required: boolean
  description?: string
  type: ValueType
  format?: string
  enum?: string[]
  default?: string
  items?: { type: ValueType; format: string }
  collectionFormat?: 'multi'
}

export interface BodyParameter {
  name: string
  in: 'body'
  required: boolean
  description?: string
  schema: Schema | Reference
}

export type Parameter = PlainParameter | BodyParameter

export interface Schema {
  /** Undefined for any JSON value. */
  type?: ValueType | 'object'
  format?: string
  description?: string
  default?: unknown
  enum?: string[]
  maxLength?: number
  items?: Schema | Reference
  properties?: Record<string, Schema>
  required?: string[]
}

const ESCAPES: Record<string, string> = { '~': '~0', '/': '~1', '%': '%25' }

/** A JSON reference into the document, with the name escaped (RFC 6901). */
export function createReference(part: 'definitions' | 'parameters', name: string): Reference {
  return { $ref: `#/${part}/${name.replace(/[~/%]/g, (sign) => ESCAPES[sign]!)}` }
}
