import type { Client, DatabaseError } from 'pg'
import { copyIn } from './copyIn.ts'
import { describeMissingObject, type Script } from './missingExtension.ts'
import { planExtension } from './planExtension.ts'
import { commitProgress, deleteProgress, readProgress } from './fileProgress.ts'
import { grantsOnMissingExtension } from './grantsOnMissingExtension.ts'
import { grantsOnMissingTables } from './grantsOnMissingTables.ts'
import { enablesExistingRowSecurity } from './enablesExistingRowSecurity.ts'
import { parseCreateExtension, rewritePrivilegedStatement } from './privilegedStatement.ts'
import { rewriteDoBlock } from './rewriteDoBlock.ts'
import type { Statement } from './splitStatements.ts'
import { StartError } from '../server/StartError.ts'

/** A failed statement, with file, line and reason. */
export class MigrationError extends StartError {
  override name = 'MigrationError'
}

interface Run extends Script {
  client: Client
  /** As shown in messages. */
  file: string
  notice: (sentence: string) => void
  /** Called in the last transaction, together with the last statements. */
  record: (client: Client) => Promise<void>
  /** Rolls back at the end. The file then must not commit. */
  isTrial?: boolean
}

/**
 * Runs a file's statements in one transaction, unless the file has a COMMIT before its last statement. As in psql, each
 * statement after such a COMMIT is a transaction of its own until the next BEGIN. Statements that can't run in a
 * transaction run between two, with a notice. A file that failed after a commit continues after its committed
 * statements. Throws MigrationError, after rolling back the open transaction.
 */
export async function runStatements(run: Run): Promise<void> {
  const { client, file, statements } = run
  refuseRollback(run)
  refuseCommands(run)
  let committed = await readProgress(client, file, statements)
  let current: Statement | undefined
  // A trigger can report the same for each of many rows.
  const noticed = new Set<string>()
  const onNotice = ({ severity, message }: { severity?: string; message?: string }): void => {
    if (severity !== 'WARNING' || noticed.has(message ?? '')) return
    noticed.add(message ?? '')
    run.notice(`${file}${current ? `, line ${current.line}` : ''}: ${message}.`)
  }
  client.on('notice', onNotice)
  const commit = async (applied: number): Promise<void> => {
    await commitProgress(client, file, statements, applied)
    committed = applied
    await client.query('begin')
  }
  try {
    for (const statement of statements.slice(0, committed))
      if (setsSession(statement)) await client.query(statement.text)
    await client.query('begin')
    const last = statements.findLastIndex((statement) => transactionControl(statement) === null)
    let isAutocommit = committed > 0 && isAutocommitAfter(statements.slice(0, committed))
    let isEmpty = true
    for (const [i, statement] of statements.entries()) {
      if (i < committed) continue
      current = statement
      const control = transactionControl(statement)
      if (control === 'begin') {
        if (isEmpty || isAutocommit) {
          // With the options of the file, such as an isolation level.
          await client.query('rollback')
          await client.query(statement.text)
        }
        isAutocommit = false
      } else if (control === 'commit') {
        if (i > last) continue
        await commit(i + 1)
        isAutocommit = !isChain(statement)
        isEmpty = true
      } else if (cannotRunInTransaction(statement)) {
        await commitProgress(client, file, statements, i)
        committed = i
        run.notice(`${file}, line ${statement.line}: ${firstWords(statement)} runs outside of a transaction.`)
        await runOutside(client, statement)
        await client.query('begin')
        await commit(i + 1)
        isEmpty = true
      } else {
        await runOne(run, statement)
        isEmpty = false
        if (isAutocommit && i < last) await commit(i + 1)
      }
    }
    current = undefined
    await run.record(client)
    if (committed > 0) await deleteProgress(client, file)
    await client.query(run.isTrial ? 'rollback' : 'commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw await toMigrationError(run, current, committed, error as Partial<DatabaseError> & Error)
  } finally {
    client.off('notice', onNotice)
  }
}

/** Throws before anything runs: what a ROLLBACK would undo can already be committed. */
function refuseRollback({ file, statements }: Run): void {
  const found = statements.find((statement) => transactionControl(statement) === 'rollback')
  if (!found) return
  throw new MigrationError(
    `${file}, line ${found.line}: A migration can not contain ROLLBACK or a prepared transaction.\n` +
      'Nothing of this file was applied; the database is as it was before it.',
  )
}

/** Throws before anything runs, if the file has a command of psql that would change what its statements do. */
function refuseCommands({ file, statements }: Run): void {
  const found = statements.find(({ command }) => command !== undefined)
  if (!found) return
  throw new MigrationError(
    `${file}, line ${found.line}: ${found.command!.split(/\s/)[0]} is a psql command, but this file can contain only SQL.\n` +
      'Nothing of this file was applied; the database is as it was before it.',
  )
}

/**
 * Runs a statement that PostgreSQL refuses in a transaction. An index that it leaves invalid when it fails is dropped, so
 * that the next try can create the index. An invalid index of this name was left by a server that stopped meanwhile.
 */
async function runOutside(client: Client, statement: Statement): Promise<void> {
  const name = concurrentIndex(statement)
  if (name !== null) {
    const { rows } = await client.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where indexrelid = to_regclass($1) and not indisvalid',
      [name],
    )
    if (rows[0]) await client.query(`drop index ${rows[0].name}`)
  }
  const invalid = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where not indisvalid',
    )
    return rows.map((row) => row.name)
  }
  const before = await invalid()
  try {
    await client.query(statement.text)
  } catch (error) {
    for (const left of (await invalid()).filter((index) => !before.includes(index)))
      await client.query(`drop index if exists ${left}`)
    throw error
  }
}

/** The name, as SQL, in `create index concurrently NAME on …`; null for other statements and for an index without a name. */
function concurrentIndex({ tokens }: Statement): string | null {
  const at = tokens.findIndex(({ kind, value }) => kind === 'word' && value === 'concurrently') + 1
  if (tokens[0]?.value !== 'create' || at === 0) return null
  const after = tokens.slice(at)
  const named = after[0]?.value === 'if' ? after.slice(3) : after
  const [name] = named
  if (!name || (name.kind === 'word' && name.value === 'on')) return null
  return `"${name.value.replaceAll('"', '""')}"`
}

/** Runs one statement of a file within the open transaction. Privileged statements run by functions of the platform. */
export async function runOne(
  run: Pick<Run, 'client' | 'file' | 'statements' | 'notice'>,
  statement: Statement,
): Promise<void> {
  const { client } = run
  const notice = (sentence: string): void => run.notice(`${run.file}, line ${statement.line}: ${sentence}`)
  const created = parseCreateExtension(statement)
  let extension: string | null
  if (created !== null) {
    const plan = await planExtension({ client, statement: created, script: run })
    if (plan.notice !== null) notice(plan.notice)
    if (plan.failure !== null) throw new Error(plan.failure)
    if (plan.query !== null) await client.query(plan.query)
  } else if (await grantsOnMissingTables(client, statement)) {
    notice(`${firstWords(statement)} … is skipped: Linnet has no such table.`)
  } else if ((extension = await grantsOnMissingExtension(client, statement)) !== null) {
    notice(`${firstWords(statement)} … is skipped: the object belongs to the missing extension ${extension}.`)
  } else if (statement.rows !== null) await copyIn(client, statement.text, statement.rows)
  else if (!(await enablesExistingRowSecurity(client, statement)))
    await client.query(
      rewritePrivilegedStatement(statement) ??
        (await rewriteDoBlock(client, statement, run)) ??
        statement.text,
    )
}

/** The sentence about a failed statement: file, line, reason, and what is committed. */
export async function toMigrationError(
  run: Pick<Run, 'client' | 'file' | 'statements'>,
  statement: Statement | undefined,
  committed: number,
  error: Partial<DatabaseError> & Error,
): Promise<MigrationError> {
  const code = error.code ? ` (${error.code})` : ''
  const lines = [
    `${run.file}${statement ? `, line ${faultLine(statement, error)}` : ''}: ${error.message}${code}`,
  ]
  if (error.detail) lines.push(error.detail)
  if (error.hint) lines.push(error.hint)
  const extension = await describeMissingObject(run.client, error).catch(() => null)
  if (extension !== null) lines.push(extension)
  // Names the row of a COPY.
  if (error.where && statement && statement.rows !== null) lines.push(error.where)
  if (statement) {
    const text = statement.text.length > 400 ? `${statement.text.slice(0, 400)} …` : statement.text
    lines.push(`In statement ${run.statements.indexOf(statement) + 1} of ${run.statements.length}:`, text)
  }
  lines.push(
    committed === 0
      ? 'Nothing of this file was applied; the database is as it was before it.'
      : `The first ${committed} statements are committed. The next try continues after them.`,
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

/** What a statement does with the transaction of the file; null for other statements. */
function transactionControl(statement: Statement): 'begin' | 'commit' | 'rollback' | null {
  const has = (word: string): boolean => statement.tokens.some((token) => token.value === word)
  if (isWord(statement, 0, 'begin')) return 'begin'
  if (isWord(statement, 0, 'start') && isWord(statement, 1, 'transaction')) return 'begin'
  if (isWord(statement, 0, 'commit', 'end')) return has('prepared') ? 'rollback' : 'commit'
  if (isWord(statement, 0, 'prepare') && isWord(statement, 1, 'transaction')) return 'rollback'
  if (isWord(statement, 0, 'abort')) return 'rollback'
  // `rollback to savepoint` stays within the transaction.
  return isWord(statement, 0, 'rollback') && !has('to') ? 'rollback' : null
}

/** Whether a COMMIT opens the next transaction itself. */
function isChain({ tokens }: Statement): boolean {
  return tokens.some(({ value }, i) => value === 'chain' && tokens[i - 1]?.value !== 'no')
}

function isAutocommitAfter(statements: readonly Statement[]): boolean {
  const last = statements.findLast((statement) => transactionControl(statement) !== null)
  return last !== undefined && transactionControl(last) === 'commit' && !isChain(last)
}

/** Whether a statement changes settings of the session, which a next try needs too. */
function setsSession(statement: Statement): boolean {
  if (isWord(statement, 0, 'set', 'reset'))
    return !isWord(statement, 1, 'local', 'transaction', 'constraints')
  return isWord(statement, 0, 'select') && statement.tokens.some(({ value }) => value === 'set_config')
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
