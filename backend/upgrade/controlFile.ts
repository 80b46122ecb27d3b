import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** DB_SHUTDOWNED: the state of pg_control after a clean shutdown. */
const shutDown = 1

const stateOffset = 16
const checkpointOffset = 32

const segmentBytes = 16n * 1024n * 1024n

/**
 * The position in the WAL at which a cleanly stopped PostgreSQL ended. Throws if it was not stopped cleanly.
 * @param data PostgreSQL's data folder
 */
export function readShutdownPosition(data: string): bigint {
  const control = readFileSync(join(data, 'global', 'pg_control'))
  if (control.readInt32LE(stateOffset) !== shutDown) throw new Error('PostgreSQL was not shut down cleanly.')
  return control.readBigUInt64LE(checkpointOffset)
}

const hexadecimal = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, '0')

/** The name of the WAL file that contains a position, in the timeline of another file's name. */
export function walFileAt(position: bigint, fileOfTimeline: string): string {
  const segment = position / segmentBytes
  const perGroup = 0x1_0000_0000n / segmentBytes
  return fileOfTimeline.slice(0, 8) + hexadecimal(segment / perGroup) + hexadecimal(segment % perGroup)
}

/** The number of a position such as `0/1A2B3C4D`. */
export function parsePosition(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
