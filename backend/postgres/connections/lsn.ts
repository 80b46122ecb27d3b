/** An LSN as PostgreSQL writes it: `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Renders an LSN as PostgreSQL reads it. */
export function renderLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`
}

/** Bytes of a segment of PostgreSQL's log, as initdb sets it. */
export const segmentBytes = 16n * 1024n * 1024n

/** The start of the segment that contains a position. */
export function segmentStart(lsn: bigint): bigint {
  return lsn - (lsn % segmentBytes)
}

/** The name of the segment that contains a position, as in `pg_wal`. */
export function segmentName(timeline: number, lsn: bigint): string {
  const segment = lsn / segmentBytes
  const perFile = 0x1_0000_0000n / segmentBytes
  return [BigInt(timeline), segment / perFile, segment % perFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}
