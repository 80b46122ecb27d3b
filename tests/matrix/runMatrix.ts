import { join } from 'node:path'
import type { Session } from '../../supabase/tests/support/world.ts'
import { actors, readRows, type Actor, type Declared, type Row } from './readRows.ts'
import { declaredObjects, schemaObjects } from './schemaObjects.ts'
import { FileTrials } from './tryFiles.ts'
import { isThere, tryRest, type Outcome } from './tryRest.ts'
import { TopicTrials } from './tryTopics.ts'
import type { MatrixWorld } from './world.ts'

interface Cell {
  row: Row
  actor: Actor
}

interface Report {
  cells: number
  held: number
  undeclared: number
  /** One line each: the cell, what was expected, what came; and the walls with nothing behind them. */
  broken: string[]
  /** Objects of the schema without cells. */
  missing: string[]
}

/** Reads the declared cells of `root`. */
export const readCells = (root: string): Declared => readRows(join(root, 'tests/matrix/cells'))

/** Runs `work` on each of `items`, `width` at a time. */
async function inTurns<T>(items: T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Commands that show a channel to whoever they let in. */
const openers = new Set(['accept_invitation'])

/** What stands in an answer though this actor must not know of it; what they named themselves is no news. */
const leaked = (world: MatrixWorld, actor: Actor, { told, named }: Outcome): string | undefined =>
  world.secretsFrom(actor).find((mark) => told.includes(mark) && !named.includes(mark))

/** Every object of the schema that has no cells. */
export async function undeclaredObjects(session: Session, declared: Declared): Promise<string[]> {
  const known = declaredObjects(declared)
  return (await schemaObjects(session)).filter((object) => !known.has(object))
}

/** Tries every declared cell in that world. */
export async function runMatrix(world: MatrixWorld, { rows, named }: Declared): Promise<Report> {
  const missing = await world.world.service((s) => undeclaredObjects(s, { rows, named }))
  const report: Report = { cells: 0, held: 0, undeclared: missing.length, broken: [], missing }
  const note = ({ row, actor }: Cell, outcome: Outcome): void => {
    report.cells += 1
    const expected = row.expected[actor]
    const leak = openers.has(row.said[0]!) ? undefined : leaked(world, actor, outcome)
    if (outcome.outcome === expected && leak === undefined) report.held += 1
    else {
      const found = leak === undefined ? `was ${outcome.outcome}` : `was told of ${leak}`
      report.broken.push(`${row.at} ${row.said.join(' · ')}: ${actor} expected ${expected}, ${found}`)
    }
  }
  const of = (...kinds: Row['kind'][]): Cell[] =>
    rows
      .filter((row) => kinds.includes(row.kind))
      .flatMap((row) => Object.keys(row.expected).map((actor) => ({ row, actor: actor as Actor })))

  const files = await FileTrials.open(world)
  const topics = await TopicTrials.open(world)
  try {
    await inTurns(of('table', 'function'), 48, async (cell) =>
      note(cell, await tryRest(world, cell.row, cell.actor)),
    )
    for (const row of rows) {
      const premise = await premiseOf(world, row, rows)
      if (premise !== null) report.broken.push(`${row.at} ${row.said.join(' · ')}: ${premise}`)
    }
    const spoken = of('topic')
    await inTurns([...actors], actors.length, async (actor) => {
      for (const cell of spoken) if (cell.actor === actor) note(cell, await topics.try(cell.row, actor))
    })
    await inTurns(of('bucket'), 8, async (cell) => note(cell, await files.try(cell.row, cell.actor)))
  } finally {
    topics.close()
  }
  return report
}

/**
 * A wall proves nothing where there is nothing behind it: rows that nobody sees are seen by the service, and a command
 * that answers `not_found` to everyone is done by somebody elsewhere. Answers what is wrong.
 */
async function premiseOf(world: MatrixWorld, row: Row, rows: Row[]): Promise<string | null> {
  const isAllowed = ({ expected }: Row): boolean => Object.values(expected).includes('yes')
  if (isAllowed(row)) return null
  if (row.kind === 'function') {
    const refusesAll = Object.values(row.expected).includes('not_found')
    const isDone = rows.some((other) => other.said[0] === row.said[0] && isAllowed(other))
    return refusesAll && !isDone ? 'nobody may do this anywhere' : null
  }
  // Grants refuse without looking; seeing nothing must be for want of sight, not of rows.
  if (row.kind !== 'table' || !Object.values(row.expected).includes('–')) return null
  return (await isThere(world, row)) ? null : 'there is nothing behind this wall'
}
