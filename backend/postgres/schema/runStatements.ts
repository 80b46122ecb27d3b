import type { Client, DatabaseError } from 'pg'
import { copyIn } from './copyIn.ts'
import { createExtension } from './createExtension.ts'
import { grantsOnMissingTables } from './grantsOnMissingTables.ts'
import { enablesExistingRowSecurity } from './enablesExistingRowSecurity.ts'
import { parseCreateExtension, rewritePrivilegedStatement } from './privilegedStatement.ts'
import type { Statement } from './splitStatements.ts'
import { StartError } from '../server/StartError.ts'

/** A failed statement, with file, line and reason. */
export class MigrationError extends StartError {
  override name = 'MigrationError'
}

interface Run {
  client: Client
  /** As shown in messages. */
  file: string
  statements: Statement[]
  notice: (sentence: string) => void
  /** Called in the last transaction, together with the last statements. */
  record: (client: Client) => Promise<void>
}

/**
 * Runs a file's statements in one transaction. Statements that can't run in a transaction run between two, with a
 * notice. Throws MigrationError, after rolling back the open transaction.
 */
export async function runStatements(run: Run): Promise<void> {
  const { client, statements } = run
  await client.query('begin')
  let committed = 0
  let current: Statement | undefined
  const onNotice = ({ severity, message }: { severity?: string; message?: string }): void => {
    if (severity !== 'WARNING') return
    run.notice(`${run.file}${current ? `, line ${current.line}` : ''}: ${message}.`)
  }
  client.on('notice', onNotice)
  try {
    for (const [i, statement] of statements.entries()) {
      current = statement
      if (isTransactionControl(statement)) {
        if (isWord(statement, 0, 'rollback', 'abort'))
          throw new Error('A migration can not end with ROLLBACK')
        run.notice(
          `${run.file}, line ${statement.line}: ${firstWords(statement)} is skipped, as the whole file is one transaction.`,
        )
      } else if (cannotRunInTransaction(statement)) {
        await client.query('commit')
        run.notice(
          `${run.file}, line ${statement.line}: ${firstWords(statement)} runs outside of a transaction.`,
        )
        await client.query(statement.text)
        await client.query('begin')
        committed = i + 1
      } else {
        await runOne(run, statement)
      }
    }
    current = undefined
    await run.record(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw toMigrationError(run, current, committed, error as Partial<DatabaseError> & Error)
  } finally {
    client.off('notice', onNotice)
  }
}

async function runOne(run: Run, statement: Statement): Promise<void> {
  const { client } = run
  const notice = (sentence: string): void => run.notice(`${run.file}, line ${statement.line}: ${sentence}`)
  const created = parseCreateExtension(statement)
  if (created !== null) {
    await createExtension({ client, statement: created, statements: run.statements, notice })
  } else if (await grantsOnMissingTables(client, statement)) {
    notice(`${firstWords(statement)} … is skipped: Linnet has no such table.`)
  } else if (statement.rows !== null) await copyIn(client, statement.text, statement.rows)
  else if (!(await enablesExistingRowSecurity(client, statement)))
    await client.query(rewritePrivilegedStatement(statement) ?? statement.text)
}

function toMigrationError(
  run: Run,
  statement: Statement | undefined,
  committed: number,
  error: Partial<DatabaseError> & Error,
): MigrationError {
  const code = error.code ? ` (${error.code})` : ''
  const lines = [
    `${run.file}${statement ? `, line ${faultLine(statement, error)}` : ''}: ${error.message}${code}`,
  ]
  if (error.detail) lines.push(error.detail)
  if (error.hint) lines.push(error.hint)
  // Names the row of a COPY.
  if (error.where && statement && statement.rows !== null) lines.push(error.where)
  if (statement) {
    const text = statement.text.length > 400 ? `${statement.text.slice(0, 400)} …` : statement.text
    lines.push(`In statement ${run.statements.indexOf(statement) + 1} of ${run.statements.length}:`, text)
  }
  lines.push(
    committed === 0
      ? 'Nothing of this file was applied; the database is as it was before it.'
      : `The first ${committed} statements stay, since some of them can't run in a transaction.`,
  )
  return new MigrationError(lines.join('\n'), { cause: error })
}

/** The line of the error position, else the first line of the statement. */
function faultLine(statement: Statement, error: Partial<DatabaseError>): number {
  const position = Number(error.position)
  if (!position || rewritePrivilegedStatement(statement)) return statement.line
  // The server counts characters, JavaScript code units.
  const before = Array.from(statement.text).slice(0, position - 1)
  return statement.textLine + before.filter((char) => char === '\n').length
}

function isWord(statement: Statement, at: number, ...words: string[]): boolean {
  const token = statement.tokens[at]
  return token?.kind === 'word' && words.includes(token.value)
}

function isTransactionControl(statement: Statement): boolean {
  if (isWord(statement, 0, 'begin', 'commit', 'end', 'abort')) return true
  if (isWord(statement, 0, 'start') && isWord(statement, 1, 'transaction')) return true
  // `rollback to savepoint` stays within the transaction.
  return isWord(statement, 0, 'rollback') && !statement.tokens.some((token) => token.value === 'to')
}

function cannotRunInTransaction(statement: Statement): boolean {
  const has = (word: string): boolean =>
    statement.tokens.some((token) => token.kind === 'word' && token.value === word)
  const isOn = (...words: string[]): boolean => isWord(statement, 1, ...words)
  if (isWord(statement, 0, 'vacuum')) return true
  if (isWord(statement, 0, 'alter')) {
    return isOn('system') || (isOn('table') && has('detach') && has('concurrently'))
  }
  if (isWord(statement, 0, 'create', 'drop')) {
    if (isOn('database', 'tablespace', 'subscription')) return true
    return (isOn('index') || (isOn('unique') && isWord(statement, 2, 'index'))) && has('concurrently')
  }
  if (isWord(statement, 0, 'reindex'))
    return has('concurrently') || has('database') || has('system') || has('schema')
  return isWord(statement, 0, 'cluster') && statement.tokens.length === 1
}

function firstWords(statement: Statement): string {
  return statement.tokens
    .slice(0, 4)
    .map((token) => token.value)
    .join(' ')
    .toUpperCase()
}
