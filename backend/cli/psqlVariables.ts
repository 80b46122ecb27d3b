import { escapeIdentifier, escapeLiteral } from 'pg'
import { sqlTokens } from '../postgres/schema/sqlTokens.ts'

/** Variables of psql, by name. Names are case-sensitive. */
export type PsqlVariables = Map<string, string>

const quote = /^(?::'(\w+)'|:"(\w+)")/

/**
 * Replaces `:name`, `:'name'` and `:"name"` outside of quotes with the values of variables, as psql does. What looks like a
 * variable that does not exist stays, such as a cast or a slice of an array.
 */
export function interpolate(sql: string, variables: PsqlVariables): string {
  if (variables.size === 0) return sql
  let replaced = ''
  let copied = 0
  for (const { kind, value, start } of sqlTokens(sql)) {
    if (kind !== 'symbol' || value !== ':' || start < copied) continue
    if (sql[start - 1] === ':' || sql[start + 1] === ':') continue
    const found = valueAt(sql.slice(start), variables)
    if (found === null) continue
    replaced += sql.slice(copied, start) + found.text
    copied = start + found.length
  }
  return replaced + sql.slice(copied)
}

function valueAt(sql: string, variables: PsqlVariables): { text: string; length: number } | null {
  const [reference, literal, identifier] = quote.exec(sql) ?? /^:(\w+)/.exec(sql) ?? []
  if (reference === undefined) return null
  const isPlain = !/["']/.test(reference)
  const value = variables.get(isPlain ? reference.slice(1) : (literal ?? identifier)!)
  if (value === undefined) return null
  const text = isPlain ? value : literal === undefined ? escapeIdentifier(value) : escapeLiteral(value)
  return { text, length: reference.length }
}

const escapes: Record<string, string> = { n: '\n', t: '\t', b: '\b', r: '\r', f: '\f' }

/**
 * The arguments of a command of psql: words, texts in single quotes with `''` and backslash escapes, and variables. Parts without
 * space between them are one argument.
 */
export function readArguments(text: string, variables: PsqlVariables): string[] {
  const pattern = /(?:'(?:[^'\\]|\\.|'')*'|[^\s'])+/gs
  return Array.from(text.matchAll(pattern), ([argument]) =>
    argument.replace(/:'\w+'|'((?:[^'\\]|\\.|'')*)'|[^']+/gs, (part, quoted: string | undefined) =>
      quoted === undefined
        ? interpolate(part, variables)
        : quoted.replace(/''|\\(.)/gs, (_, escaped?: string) =>
            escaped === undefined ? "'" : (escapes[escaped] ?? escaped),
          ),
    ),
  )
}
