import type { Line } from './ledger.ts'

/** What one join of a topic was told, until its socket or the topic ended. */
export interface Hearing {
  topic: string
  /** How far the table was read once it was joined; null: it ended before that. */
  readTo: number | null
  heard: number[]
  /** It was joined to the end, and must have heard the last line. */
  lasts: boolean
}

/** What is wrong with a transcript, in sentences; empty where it equals the table. */
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
 * What the server did wrong in one join, whatever reading the table mends: between joining and the end each line
 * is told once and in order, and none is missing between what was read and what was told first.
 * @param last the number of the last line in the table
 */
export function hearingFaults({ topic, readTo, heard, lasts }: Hearing, last: number): string[] {
  const faults: string[] = []
  heard.forEach((rev, at) => {
    const before = heard[at - 1]
    if (before !== undefined && rev !== before + 1) {
      const what = rev > before ? 'a gap' : rev === before ? 'a double' : 'an old line'
      faults.push(`${topic}: told ${rev} after ${before}, ${what}`)
    }
  })
  const first = heard[0]
  if (readTo !== null && first !== undefined && first > readTo + 1) {
    faults.push(`${topic}: told ${first} first, though the table was read to ${readTo} after joining`)
  }
  if (lasts && Math.max(heard.at(-1) ?? 0, readTo ?? 0) < last) {
    faults.push(`${topic}: not told ${last}, the last line`)
  }
  return faults
}
