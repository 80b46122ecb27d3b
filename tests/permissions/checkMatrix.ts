import { join } from 'node:path'
import type { TestTransaction } from '../../supabase/tests/support/fixture.ts'
import { actors, readMatrix, type Actor, type Matrix, type Row } from './readMatrix.ts'
import { declaredObjects, schemaObjects } from './schemaObjects.ts'
import { FileChecks } from './FileChecks.ts'
import { hasRows, checkRest, type Outcome } from './checkRest.ts'
import { TopicChecks } from './TopicChecks.ts'
import type { PermissionFixture } from './fixture.ts'

interface Case {
  row: Row
  actor: Actor
}

interface Report {
  cases: number
  held: number
  undeclared: number
  /** One line each: the case, the expected and the actual outcome; and rows that prove nothing. */
  broken: string[]
  /** Objects of the schema that are not declared. */
  missing: string[]
}

/** Reads the permission matrix of `root`. */
export const readPermissionMatrix = (root: string): Matrix =>
  readMatrix(join(root, 'tests/permissions/entries'))

/** Runs `work` on each of `items`, `width` at a time. */
async function runConcurrently<T>(
  items: T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** The commands that make the caller a member of a channel, which their response shows. */
const revealingCommands = new Set(['accept_invitation', 'join_workspace'])

/** Finds a secret in the response that this actor must not see and did not send. */
const findLeak = (
  fixture: PermissionFixture,
  actor: Actor,
  { received, sent }: Outcome,
): string | undefined =>
  fixture.secretsFrom(actor).find((mark) => received.includes(mark) && !sent.includes(mark))

/** Returns the objects of the schema that the matrix does not declare. */
export async function undeclaredObjects(session: TestTransaction, declared: Matrix): Promise<string[]> {
  const existing = declaredObjects(declared)
  return (await schemaObjects(session)).filter((object) => !existing.has(object))
}

/** Requests at once. Each further connection of the pool reads the catalogs and compiles every command again. */
const concurrentRequests = 6

/**
 * Checks the cases of the matrix: all of them, or one of `every`. Then each row is checked for some of its actors, and the
 * next row for others.
 */
export async function checkMatrix(
  fixture: PermissionFixture,
  { rows, named }: Matrix,
  every = 1,
): Promise<Report> {
  const missing = await fixture.base.service((s) => undeclaredObjects(s, { rows, named }))
  const report: Report = { cases: 0, held: 0, undeclared: missing.length, broken: [], missing }
  const record = ({ row, actor }: Case, outcome: Outcome): void => {
    report.cases += 1
    const expected = row.expected[actor]
    const leak = revealingCommands.has(row.target[0]!) ? undefined : findLeak(fixture, actor, outcome)
    if (outcome.outcome === expected && leak === undefined) report.held += 1
    else {
      const found = leak === undefined ? `was ${outcome.outcome}` : `the response contains ${leak}`
      report.broken.push(`${row.at} ${row.target.join(' · ')}: ${actor} expected ${expected}, ${found}`)
    }
  }
  const of = (...kinds: Row['kind'][]): Case[] =>
    rows.flatMap((row, index) =>
      kinds.includes(row.kind)
        ? Object.keys(row.expected)
            .filter((_, column) => (index + column) % every === 0)
            .map((actor) => ({ row, actor: actor as Actor }))
        : [],
    )

  const files = await FileChecks.open(fixture)
  const topics = await TopicChecks.open(fixture)
  try {
    await runConcurrently(of('table', 'function'), concurrentRequests, async (cell) =>
      record(cell, await checkRest(fixture, cell.row, cell.actor)),
    )
    for (const row of rows) {
      const premise = await checkPremise(fixture, row, rows)
      if (premise !== null) report.broken.push(`${row.at} ${row.target.join(' · ')}: ${premise}`)
    }
    const topicCases = of('topic')
    await runConcurrently([...actors], actors.length, async (actor) => {
      for (const cell of topicCases)
        if (cell.actor === actor) record(cell, await topics.check(cell.row, actor))
    })
    await runConcurrently(of('bucket'), 8, async (cell) =>
      record(cell, await files.check(cell.row, cell.actor)),
    )
  } finally {
    topics.close()
  }
  return report
}

/**
 * Checks that a refusal is meaningful. If nobody sees rows, the service must see them. If a command responds with
 * `not_found` to everybody, it must succeed in another row. Returns the fault, or null.
 */
async function checkPremise(fixture: PermissionFixture, row: Row, rows: Row[]): Promise<string | null> {
  const isAllowed = ({ expected }: Row): boolean => Object.values(expected).includes('yes')
  if (isAllowed(row)) return null
  if (row.kind === 'function') {
    const refusesAll = Object.values(row.expected).includes('not_found')
    const isDone = rows.some((other) => other.target[0] === row.target[0] && isAllowed(other))
    return refusesAll && !isDone ? 'no row expects success of this command' : null
  }
  // Grants refuse whether there are rows or not; an empty result must be due to policies, not to missing rows.
  if (row.kind !== 'table' || !Object.values(row.expected).includes('–')) return null
  return (await hasRows(fixture, row)) ? null : 'there are no rows that could be hidden'
}
