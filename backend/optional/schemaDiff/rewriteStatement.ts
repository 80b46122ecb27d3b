import type { DatabaseError } from 'pg'
import { sqlTokens, type SqlToken } from '../../postgres/schema/sqlTokens.ts'

const isWord = (token: SqlToken | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && words.includes(token.value)

/** The text with its final semicolon, on a line of its own if the text ends with a comment. */
export function terminate(text: string): string {
  let end = 0
  for (const token of sqlTokens(text)) end = token.end
  return text.slice(end).trim() === '' ? `${text.trimEnd()};` : `${text.trimEnd()}\n;`
}

/** `create function` as `create or replace function`; other statements are unchanged. */
export function orReplace(text: string): string {
  const [create, next, third] = [...sqlTokens(text)]
  const canReplace =
    isWord(next, 'function', 'procedure', 'trigger', 'view', 'rule', 'aggregate') ||
    (isWord(next, 'recursive') && isWord(third, 'view'))
  if (!create || !isWord(create, 'create') || !canReplace) return text
  return `${text.slice(0, create.end)} or replace${text.slice(create.end)}`
}

/** Whether the statement creates a constraint trigger, which PostgreSQL can't replace. */
export function isConstraintTrigger(text: string): boolean {
  const [create, next] = [...sqlTokens(text)]
  return isWord(create, 'create') && isWord(next, 'constraint')
}

/**
 * A GRANT or REVOKE that applies to one object only. Without it, `revoke … on all functions in schema app` would revoke
 * again what later statements have granted.
 * @param object such as `function app.f(integer)`
 */
export function limitGrant(text: string, object: string): string {
  const tokens = [...sqlTokens(text)]
  let depth = 0
  const topLevel = tokens.filter(({ kind, value }) => {
    if (kind === 'symbol' && value === '(') depth++
    if (kind === 'symbol' && value === ')') depth--
    return depth === 0
  })
  const on = topLevel.find((token) => isWord(token, 'on'))
  const rest = topLevel.find((token) => on && token.start > on.start && isWord(token, 'to', 'from'))
  if (!on || !rest) return text
  return `${text.slice(tokens[0]!.start, on.end)} ${grantTarget(object)} ${text.slice(rest.start)}`
}

/** The object of a fact in GRANT and REVOKE, which call a view a table. */
export const grantTarget = (object: string): string => object.replace(/^view /, 'table ')

/** Whether the statement is `insert into TABLE`. A name without a schema means `public`. */
export function insertsInto(text: string, table: string): boolean {
  const tokens = [...sqlTokens(text)]
  if (!isWord(tokens[0], 'insert') || !isWord(tokens[1], 'into')) return false
  const quote = ({ kind, value }: SqlToken): string =>
    kind === 'name' && !/^[a-z_][a-z0-9_$]*$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  const first = tokens[2]
  if (!first) return false
  const isQualified = tokens[3]?.value === '.' && tokens[4] !== undefined
  return table === (isQualified ? `${quote(first)}.${quote(tokens[4]!)}` : `public.${quote(first)}`)
}

/** Whether the statement calls `cron.schedule` for a job of this name. */
export function schedulesJob(text: string, job: string): boolean {
  const tokens = [...sqlTokens(text)]
  const at = tokens.findIndex(
    (token, i) => isWord(token, 'cron') && tokens[i + 1]?.value === '.' && isWord(tokens[i + 2], 'schedule'),
  )
  return at >= 0 && tokens[at + 4]?.kind === 'string' && tokens[at + 4]!.value === job
}

/** Whether the statement inserts the bucket with this id. */
export function insertsBucket(text: string, id: string): boolean {
  return (
    insertsInto(text, 'storage.buckets') &&
    [...sqlTokens(text)].some(({ kind, value }) => kind === 'string' && value === id)
  )
}

/** Whether the statement is `alter role ROLE set SETTING …`. */
export function setsRoleSetting(text: string, setting: string, role: string): boolean {
  const words = [...sqlTokens(text)].map(({ value }) => value)
  if (words[0] !== 'alter' || !(words[1] === 'role' || words[1] === 'user') || words[2] !== role) return false
  const at = words.indexOf('set')
  return at > 0 && words.slice(at + 1, at + 1 + setting.split('.').length * 2 - 1).join('') === setting
}

/** Whether the statement creates this role. */
export function createsRole(text: string, role: string): boolean {
  const [create, kind, name] = [...sqlTokens(text)]
  return isWord(create, 'create') && isWord(kind, 'role', 'user') && name?.value === role
}

/** Whether the statement is an ALTER TABLE that concerns row security alone. */
export function enablesRowSecurity(text: string): boolean {
  const words = [...sqlTokens(text)].map(({ value }) => value)
  return words[0] === 'alter' && /(?:enable|force) row level security$/.test(words.join(' '))
}

/** Whether the statement is a `create table` of any kind. */
export function createsTable(text: string): boolean {
  const tokens = [...sqlTokens(text)]
  return isWord(tokens[0], 'create') && tokens.slice(1, 3).some((token) => isWord(token, 'table'))
}

/** PostgreSQL's codes for a function or view whose kind, arguments, result or columns CREATE OR REPLACE can't change. */
const replaceErrors = new Set(['42P13', '42P16', '42809'])

/** Whether CREATE OR REPLACE failed because the object must be dropped first. */
export const isReplaceError = ({ code }: DatabaseError): boolean => replaceErrors.has(code ?? '')

/**
 * The statement that drops a policy or constraint trigger before its definition runs again, since PostgreSQL can't replace
 * it. Null for other statements.
 */
export function dropBefore(text: string): string | null {
  const tokens = [...sqlTokens(text)]
  const isPolicy = isWord(tokens[0], 'create') && isWord(tokens[1], 'policy')
  if (!isPolicy && !isConstraintTrigger(text)) return null
  const name = tokens[isPolicy ? 2 : 3]
  const on = tokens.findIndex((token, i) => i > 2 && isWord(token, 'on'))
  const table = tokens[on + 1]
  if (!name || !table) return null
  const last = tokens[on + 2]?.value === '.' ? tokens[on + 3]! : table
  return `drop ${isPolicy ? 'policy' : 'trigger'} if exists ${text.slice(name.start, name.end)} on ${text.slice(table.start, last.end)}`
}
