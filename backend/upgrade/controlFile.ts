import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** DB_SHUTDOWNED: the state of pg_control after a clean shutdown. */
const shutDown = 1

const stateOffset = 16
const checkpointOffset = 32

/**
 * The position in the WAL at which a cleanly stopped PostgreSQL ended. Throws if it was not stopped cleanly.
 * @param data PostgreSQL's data folder
 */
export function readShutdownPosition(data: string): bigint {
  const control = readFileSync(join(data, 'global', 'pg_control'))
  if (control.readInt32LE(stateOffset) !== shutDown) throw new Error('PostgreSQL was not shut down cleanly.')
  return control.readBigUInt64LE(checkpointOffset)
}
