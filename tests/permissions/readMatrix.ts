import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The callers: columns of a table of the matrix. */
export const actors = ['ann', 'bea', 'eli', 'gus', 'max', 'dee', 'sid', 'omar', 'zoe', 'anon'] as const
/**
 * Further callers: Cem, who has a second factor, with AAL2 and (`half`) with AAL1; Bea with an expired token (`stale`);
 * and the service key. A table has either these columns or the others.
 */
export const specialActors = ['cem', 'half', 'stale', 'service'] as const
export type Actor = (typeof actors)[number] | (typeof specialActors)[number]

/** The kind of object of a table: the first column of its header. */
const kinds = ['table', 'function', 'topic', 'bucket'] as const
export type Kind = (typeof kinds)[number]

/** One row of a table: an operation, and the expected outcome for each actor. */
export interface Row {
  kind: Kind
  /** The columns before the actors', without backticks; the first names the object. */
  target: string[]
  expected: Partial<Record<Actor, string>>
  /** `entries/channels.md:14` */
  at: string
}

/** The whole matrix: rows of tables, and objects that are declared by name alone (`kind: name`). */
export interface Matrix {
  rows: Row[]
  named: Set<string>
}

const splitRow = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

/** The actors whose columns end a header; undefined where it has other columns. */
const actorsOf = (header: string[]): readonly Actor[] | undefined =>
  [actors, specialActors].find((who) => header.slice(-who.length).join(' ') === who.join(' '))

/**
 * Reads every table of `folder`. A header `table | operation | where | ann | bea …` starts a table of outcomes,
 * `policy on | name` a list of objects that are declared by name alone. Throws on any other table.
 */
export function readMatrix(folder: string): Matrix {
  const rows: Row[] = []
  const named = new Set<string>()
  for (const file of readdirSync(folder).toSorted()) {
    let header: string[] | null = null
    for (const [index, line] of readFileSync(join(folder, file), 'utf8').split('\n').entries()) {
      const at = `entries/${file}:${index + 1}`
      if (!line.startsWith('|')) {
        header = null
        continue
      }
      const cells = splitRow(line)
      if (header === null) {
        header = cells
        if (header[0] !== 'policy on' && actorsOf(header) === undefined)
          throw new Error(`${at}: unknown actors`)
        continue
      }
      if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue
      if (cells.length !== header.length)
        throw new Error(`${at}: ${cells.length} cells, not ${header.length}`)
      if (header[0] === 'policy on') {
        named.add(`policy on ${cells[0]}: ${cells[1]}`)
        continue
      }
      const kind = kinds.find((kind) => kind === header![0])
      if (kind === undefined) throw new Error(`${at}: ${header[0]} is no kind of object`)
      const who = actorsOf(header)!
      const own = header.length - who.length
      rows.push({
        kind,
        target: cells.slice(0, own),
        expected: Object.fromEntries(who.map((actor, i) => [actor, cells[own + i]!])),
        at,
      })
    }
  }
  return { rows, named }
}
