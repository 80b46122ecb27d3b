import type { Named } from '../schemaCache/named.ts'

/** A quoted identifier. NUL would end the statement's text on the wire, so it never gets there. */
export function quote(name: string): string {
  return `"${name.replaceAll('\u0000', '').replaceAll('"', '""')}"`
}

/** Without a schema, what its name finds on the search path. */
export function quoteNamed({ schema, name }: Named): string {
  return schema === '' ? quote(name) : `${quote(schema)}.${quote(name)}`
}

/** A text literal, for names out of the catalogue alone: what a request brings is always a parameter. */
export function literal(text: string): string {
  const escaped = text.replaceAll("'", "''").replaceAll('\\', '\\\\')
  return escaped.includes('\\') ? `E'${escaped}'` : `'${escaped}'`
}

/** An array literal of texts, for a parameter whose element type PostgreSQL infers. */
export function arrayLiteral(values: string[]): string {
  const quoted = values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
  return `{${quoted.join(',')}}`
}
