import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who tries; the columns of a table of cells. */
export const actors = ['ann', 'bea', 'eli', 'gus', 'max', 'dee', 'sid', 'omar', 'zoe', 'anon'] as const
/**
 * Who else tries: Cem, who has a second factor, once it was shown and before; Bea by a token of yesterday; and a key of
 * the service. A table has these columns or the others.
 */
export const guises = ['cem', 'half', 'stale', 'service'] as const
export type Actor = (typeof actors)[number] | (typeof guises)[number]

/** What a table of cells is about: the first word of its header. */
const kinds = ['table', 'function', 'topic', 'bucket'] as const
export type Kind = (typeof kinds)[number]

/** One line of a table: what is tried, and what each actor is answered. */
export interface Row {
  kind: Kind
  /** The cells before the actors', as written, without backticks; the first names the object. */
  said: string[]
  expected: Partial<Record<Actor, string>>
  /** `cells/channels.md:14` */
  at: string
}

/** What stands beside the tables of cells: things that are there on purpose, by `kind of thing: name`. */
export interface Declared {
  rows: Row[]
  named: Set<string>
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))

/** The actors whose columns end a header; undefined where they are none of ours. */
const whoTry = (header: string[]): readonly Actor[] | undefined =>
  [actors, guises].find((who) => header.slice(-who.length).join(' ') === who.join(' '))

/**
 * Reads every table of `folder`. A header `table | way | where | ann | bea …` begins a table of cells,
 * `policy on | named` a list of what else is there on purpose. Throws on a line that is neither.
 */
export function readRows(folder: string): Declared {
  const rows: Row[] = []
  const named = new Set<string>()
  for (const file of readdirSync(folder).toSorted()) {
    let header: string[] | null = null
    for (const [index, line] of readFileSync(join(folder, file), 'utf8').split('\n').entries()) {
      const at = `cells/${file}:${index + 1}`
      if (!line.startsWith('|')) {
        header = null
        continue
      }
      const cells = cellsOf(line)
      if (header === null) {
        header = cells
        if (header[0] !== 'policy on' && whoTry(header) === undefined)
          throw new Error(`${at}: not our actors`)
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
      const who = whoTry(header)!
      const own = header.length - who.length
      rows.push({
        kind,
        said: cells.slice(0, own),
        expected: Object.fromEntries(who.map((actor, i) => [actor, cells[own + i]!])),
        at,
      })
    }
  }
  return { rows, named }
}
