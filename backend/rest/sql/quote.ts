import type { QualifiedName } from '../schemaCache/qualifiedName.ts'

/** A quoted identifier, without NUL, which would end the statement's text in the protocol. */
export function quote(name: string): string {
  return `"${name.replaceAll('\u0000', '').replaceAll('"', '""')}"`
}

/** A qualified name; without a schema, found on the search path. */
export function quoteNamed({ schema, name }: QualifiedName): string {
  return schema === '' ? quote(name) : `${quote(schema)}.${quote(name)}`
}

/** A string literal, only for names from the catalogue: values of requests are always parameters. */
export function literal(text: string): string {
  const escaped = text.replaceAll("'", "''").replaceAll('\\', '\\\\')
  return escaped.includes('\\') ? `E'${escaped}'` : `'${escaped}'`
}

/** An array literal of strings, for a parameter whose element type PostgreSQL infers. */
export function arrayLiteral(values: string[]): string {
  const quoted = values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
  return `{${quoted.join(',')}}`
}
