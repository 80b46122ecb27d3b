import type { Client } from 'pg'
import { buildIndexes, copyRows, prepareTables, readChecksum } from './copyRows.ts'
import type { Table } from './readTables.ts'

/** What a move of the data takes. */
export interface MoveEstimate {
  /** Bytes of all tables, without indexes. */
  bytes: number
  /** Seconds from now until the data are moved. */
  seconds: number
}

/** At most this many bytes of a table, and this many tables, are moved to measure the rate. */
const sampleBytes = 16 * 1024 * 1024
const maxSampled = 3
/** Starting and stopping the servers, and synchronising the disk. */
const restartSeconds = 4
/** Checksums are computed on both servers. */
const checksumFactor = 1.5
/** Used where there is nothing to measure. */
const defaultBytesPerSecond = 20 * 1024 * 1024
/** Starting both servers and creating the schema on a machine that does much other work. */
const schemaSeconds = 90
/** Bytes of tables and indexes, on a machine that does much other work. */
const cautiousBytesPerSecond = 3.5 * 1024 * 1024

/** The bytes that a database takes after the move: the indexes of an empty one, and 10 % more than before. */
export const spaceForMove = (databaseBytes: number): number => databaseBytes * 1.1 + 256 * 1024 * 1024

/** A cautious estimate of the seconds of a move, from the size of the database with its indexes. Decision 89 has measurements. */
export const estimateBySize = (databaseBytes: number): number =>
  Math.ceil(schemaSeconds + databaseBytes / cautiousBytesPerSecond)

/** A number of seconds in words: "80 s", "6 min". */
export const renderDuration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/**
 * Estimates the duration of the move of all tables. It moves samples of the largest tables, as the move itself does, in a
 * transaction that is rolled back.
 * @param o.tables the largest first
 * @param o.names all tables of the target
 */
export async function estimateMove(o: {
  source: Client
  target: Client
  tables: readonly Table[]
  names: readonly string[]
}): Promise<MoveEstimate> {
  const { source, target, tables } = o
  const sampled = tables.slice(0, maxSampled).filter(({ bytes }) => bytes > 0)
  let [seconds, estimatedBytes] = [restartSeconds, 0]
  await target.query('begin')
  try {
    await prepareTables(target, o.names)
    for (const table of sampled) {
      const fraction = Math.min(1, sampleBytes / table.bytes)
      const startedAt = performance.now()
      await copyRows({ source, target, table, sample: fraction * 100, onBytes() {} })
      await buildIndexes(target, table.name)
      const copiedAt = performance.now()
      await readChecksum(target, table)
      const endedAt = performance.now()
      seconds += (copiedAt - startedAt + (endedAt - copiedAt) * checksumFactor) / 1_000 / fraction
      estimatedBytes += table.bytes
    }
  } finally {
    await target.query('rollback')
  }
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  const rate = estimatedBytes > 0 ? estimatedBytes / (seconds - restartSeconds) : defaultBytesPerSecond
  return { bytes, seconds: Math.ceil(seconds + (bytes - estimatedBytes) / rate) }
}
