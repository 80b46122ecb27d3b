import type { Client, DatabaseError } from 'pg'
import { runOne, toMigrationError } from '../../postgres/schema/runStatements.ts'
import type { Statement } from '../../postgres/schema/splitStatements.ts'
import { dropBefore, isReplaceError, orReplace } from './rewriteStatement.ts'

/** A change of a schema file that the running database can't take over. */
export interface PendingChange {
  line: number
  /** The first words of the statement. */
  statement: string
  reason: string
}

/** What a statement does, as far as a saved file is concerned. */
interface Identity {
  /** Whether it can run again at any time without a loss. */
  isSafe: boolean
  /** Equal for two statements that define the same object. */
  object: string
}

/** Statements that can be applied as soon as a file is saved, by their first words. */
const safe =
  /^(?:create (?:or replace )?(?:function|procedure|trigger|constraint trigger|view|policy)|comment on|grant|revoke) /

function identify({ tokens }: Statement): Identity {
  const words = tokens.map(({ value }) => value)
  const text = words.join(' ').replace(/^create or replace /, 'create ')
  if (!safe.test(`${text} `)) return { isSafe: false, object: words.slice(0, 5).join(' ') }
  const end = (...marks: string[]): number => {
    const at = tokens.findIndex(({ kind, value }) => kind !== 'string' && marks.includes(value))
    return at < 0 ? words.length : at
  }
  if (/^create (?:function|procedure|view)/.test(text)) {
    return {
      isSafe: true,
      object: words
        .slice(0, end('(', 'as', 'with'))
        .join(' ')
        .replace('or replace ', ''),
    }
  }
  if (text.startsWith('create')) {
    const on = tokens.findIndex(({ kind, value }, i) => kind === 'word' && value === 'on' && i > 2)
    // The name of the trigger or policy, and the name of its table, which can have a schema.
    const name = words
      .slice(0, on)
      .join(' ')
      .replace(/ (?:before|after|instead of) .*$/, '')
    const table = words.slice(on, on + (words[on + 2] === '.' ? 4 : 2)).join(' ')
    return { isSafe: true, object: `${name.replace('or replace ', '')} ${table}` }
  }
  if (text.startsWith('comment')) return { isSafe: true, object: words.slice(0, end('is')).join(' ') }
  return { isSafe: true, object: words.join(' ') }
}

const firstWords = ({ tokens }: Statement): string => {
  const words = tokens.slice(0, 5).map(({ value }) => value)
  return words.join(' ').replaceAll(' . ', '.').replaceAll(' (', '')
}

/**
 * Applies the statements of a saved schema file that are new, in one transaction: functions, triggers, policies, views,
 * comments and grants. Returns the changes that need a migration. Throws MigrationError with file and line if a statement
 * fails; nothing is changed then.
 * @param client of postgres
 * @param previous the statements as they were applied
 */
export async function applySchemaChange(o: {
  client: Client
  file: string
  previous: readonly Statement[]
  statements: Statement[]
}): Promise<{ applied: number; pending: PendingChange[] }> {
  const { client, file, statements } = o
  const before = new Set(o.previous.map(({ text }) => text))
  const now = new Set(statements.map(({ text }) => text))
  const added = statements.filter(({ text }) => !before.has(text))
  const removed = o.previous.filter(({ text }) => !now.has(text))
  const addedObjects = new Set(added.map((statement) => identify(statement).object))
  const removedObjects = new Set(removed.map((statement) => identify(statement).object))
  const pending: PendingChange[] = []
  const postpone = (statement: Statement, reason: string): void => {
    pending.push({ line: statement.line, statement: firstWords(statement), reason })
  }
  for (const statement of removed) {
    if (!addedObjects.has(identify(statement).object)) postpone(statement, 'it is no longer in the file')
  }
  let applied = 0
  const run = (statement: Statement): Promise<void> =>
    runOne({ client, file, statements, notice() {} }, statement)
  const countFunctions = async (): Promise<number> =>
    (await client.query<{ count: number }>('select count(*)::int as count from pg_proc')).rows[0]!.count
  await client.query('begin')
  let current: Statement | undefined
  try {
    for (const statement of added) {
      current = statement
      const { isSafe, object } = identify(statement)
      if (!isSafe) {
        postpone(statement, 'it changes a table, a type, an index or data')
        continue
      }
      const isFunction = /^create (?:function|procedure) /.test(object)
      const functions = isFunction && removedObjects.has(object) ? await countFunctions() : null
      await client.query('savepoint statement')
      try {
        const drop = dropBefore(statement.text)
        if (drop !== null) await client.query(drop)
        await run({ ...statement, text: orReplace(statement.text) })
        if (functions !== null && (await countFunctions()) !== functions) {
          await client.query('rollback to savepoint statement')
          postpone(statement, 'its arguments have changed')
          continue
        }
        applied++
      } catch (error) {
        if (!isReplaceError(error as DatabaseError)) throw error
        await client.query('rollback to savepoint statement')
        postpone(statement, 'its arguments, its result or its columns have changed')
      }
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw await toMigrationError({ client, file, statements }, current, 0, error as DatabaseError)
  }
  return { applied, pending }
}
