import type { Line } from './ledger.ts'

/** Lines that one join of a topic received, until its socket or the topic closed. */
export interface JoinTranscript {
  topic: string
  /** How far the table was read after the join; null if the join ended before. */
  readTo: number | null
  received: number[]
  /** Whether it was joined until the end, and must have received the last line. */
  lasts: boolean
}

/** Differences between a transcript and the table, as sentences; empty if equal. */
export function transcriptFaults(transcript: Line[], table: Line[]): string[] {
  const times = new Map<string, number>()
  for (const { text } of transcript) times.set(text, (times.get(text) ?? 0) + 1)
  const faults = table.flatMap(({ rev, text }) => {
    const count = times.get(text) ?? 0
    times.delete(text)
    if (count === 1) return []
    return [count === 0 ? `line ${rev} is lost` : `line ${rev} is there ${count} times`]
  })
  for (const text of times.keys()) faults.push(`"${text}" is not in the table`)
  transcript.forEach(({ rev }, at) => {
    const before = transcript[at - 1]
    if (before && before.rev > rev) faults.push(`line ${rev} stands behind ${before.rev}`)
  })
  return faults
}

/**
 * Faults of the server in one join, even if reading the table compensates for them: between join and end each line is
 * delivered once and in order, and none is missing between the read lines and the first delivered one.
 * @param last the number of the last line in the table
 */
export function joinFaults({ topic, readTo, received, lasts }: JoinTranscript, last: number): string[] {
  const faults: string[] = []
  received.forEach((rev, at) => {
    const before = received[at - 1]
    if (before !== undefined && rev !== before + 1) {
      const what = rev > before ? 'a gap' : rev === before ? 'a double' : 'an old line'
      faults.push(`${topic}: received ${rev} after ${before}, ${what}`)
    }
  })
  const first = received[0]
  if (readTo !== null && first !== undefined && first > readTo + 1) {
    faults.push(`${topic}: received ${first} first, though the table was read to ${readTo} after joining`)
  }
  if (lasts && Math.max(received.at(-1) ?? 0, readTo ?? 0) < last) {
    faults.push(`${topic}: did not receive ${last}, the last line`)
  }
  return faults
}
