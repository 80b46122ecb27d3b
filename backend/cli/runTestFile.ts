import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Client, CustomTypesConfig, DatabaseError, QueryArrayResult } from 'pg'
import { copyIn } from '../postgres/schema/copyIn.ts'
import { rewritePrivilegedStatement } from '../postgres/schema/privilegedStatement.ts'
import { rewriteDoBlock } from '../postgres/schema/rewriteDoBlock.ts'
import { splitStatements, type Statement } from '../postgres/schema/splitStatements.ts'
import { createTapReader, type TapReader } from './createTapReader.ts'
import { interpolate, readArguments, type PsqlVariables } from './psqlVariables.ts'

interface Test {
  client: Client
  reader: TapReader
  variables: PsqlVariables
  last: Statement | null
}

/** An error whose message begins with its place in an included file. */
class IncludedError extends Error {}

/** Values as PostgreSQL writes them, such as `t` for true. */
const texts = { getTypeParser: () => (text: string | Buffer) => text } as CustomTypesConfig

/** Files that include each other, at most. */
const maxDepth = 16

/** Commands of psql that affect only its output and its handling of errors. */
const ignored = new Set(
  'restrict unrestrict connect c encoding echo qecho warn pset timing x a t o g gx H C f T'.split(' '),
)

/**
 * Runs a pgTAP test on a connection, up to its first error. Returns a sentence for each failure. Supports the commands of
 * psql that tests use: `\i`, `\ir`, `\set`, `\unset` and `\gset`, with variables.
 */
export async function runTestFile(client: Client, file: string): Promise<string[]> {
  const test: Test = { client, reader: createTapReader(), variables: new Map(), last: null }
  try {
    await runFile(test, file, 1)
  } catch (error) {
    const { message, code } = error as DatabaseError
    return [...test.reader.faults(), `${message}${code ? ` (${code})` : ''}`]
  }
  return test.reader.finish()
}

async function runFile(test: Test, file: string, depth: number): Promise<void> {
  const statements = splitStatements(readFileSync(file, 'utf8'), true)
  for (const statement of statements) {
    try {
      const executed = statementOf(test, statement)
      const result = executed && (await runStatement(test, executed, statements))
      if (statement.command === undefined) printRows(test, result)
      else await runCommand(test, statement.command, result, file, depth)
    } catch (error) {
      if (error instanceof IncludedError) throw error
      const { message, code } = error as DatabaseError
      const place = depth === 1 ? `line ${statement.line}` : `${file}, line ${statement.line}`
      throw Object.assign(new IncludedError(`${place}: ${message}`), { code })
    }
  }
}

/** The statement to execute: a `\g` or `\gset` alone repeats the last one. Null for other commands alone. */
function statementOf(test: Test, statement: Statement): Statement | null {
  if (statement.text !== '') test.last = statement
  else if (!/^\\g(set|x)?\b/.test(statement.command ?? '')) return null
  return test.last
}

async function runStatement(
  { client, variables }: Test,
  statement: Statement,
  statements: Statement[],
): Promise<QueryArrayResult<unknown[]> | null> {
  if (statement.rows !== null) {
    await copyIn(client, statement.text, statement.rows)
    return null
  }
  const query =
    rewritePrivilegedStatement(statement) ??
    (await rewriteDoBlock(client, statement, { statements })) ??
    interpolate(statement.text, variables)
  const config = typeof query === 'string' ? { text: query } : query
  return client.query<unknown[]>({ ...config, rowMode: 'array', types: texts })
}

function printRows({ reader }: Test, result: QueryArrayResult<unknown[]> | null): void {
  for (const [value] of result?.rows ?? []) if (typeof value === 'string') reader.read(value)
}

async function runCommand(
  test: Test,
  command: string,
  result: QueryArrayResult<unknown[]> | null,
  file: string,
  depth: number,
): Promise<void> {
  const [, name, rest] = /^\\(\S*)\s*(.*)$/s.exec(command)!
  const args = readArguments(rest!, test.variables)
  switch (name) {
    case 'set':
      test.variables.set(args[0] ?? '', args.slice(1).join(''))
      return
    case 'unset':
      test.variables.delete(args[0] ?? '')
      return
    case 'gset':
      setVariables(test, result, args[0] ?? '')
      return
    case 'i':
    case 'include':
      return include(test, resolve(args[0] ?? ''), depth)
    case 'ir':
    case 'include_relative':
      return include(test, resolve(dirname(file), args[0] ?? ''), depth)
  }
  if (!ignored.has(name!)) throw new Error(`linnet test db does not support the psql command \\${name}`)
  printRows(test, result)
}

async function include(test: Test, path: string, depth: number): Promise<void> {
  if (!existsSync(path)) throw new Error(`the file ${path} does not exist`)
  if (depth >= maxDepth) throw new Error(`included files are nested more than ${maxDepth} levels deep`)
  await runFile(test, path, depth + 1)
}

/** A null unsets its variable, as in psql. */
function setVariables({ variables }: Test, result: QueryArrayResult<unknown[]> | null, prefix: string): void {
  if (result?.rows.length !== 1)
    throw new Error(`\\gset needs exactly one row, but the query returned ${result?.rows.length ?? 0}`)
  for (const [i, { name }] of result.fields.entries()) {
    const value = result.rows[0]![i]
    if (value === null) variables.delete(prefix + name)
    else variables.set(prefix + name, String(value))
  }
}
