import { isObject, type Fields } from '../../../../supabase/functions/_shared/payloadFields.ts'
import type { ExportFiles } from '../openExport.ts'
import { readJsonArray } from '../readJsonArray.ts'
import type { SlackChannel } from './readLists.ts'
import { microsecondsOf } from '../importIds.ts'

/** A message of an export, in the order of its channel. */
export interface SlackMessage {
  /** Its time in microseconds. */
  at: number
  fields: Fields
}

/** Why an entry of a day file is left out. */
export type Skipped = 'damaged' | 'too large' | 'without a time' | 'duplicate'

/** Messages that are sorted at once. Day files are in order, except within a short time. */
const windowSize = 5_000

/**
 * The messages of a channel by their times. The export is read as a stream, so a message that stands more than 5,000 messages
 * behind its place comes late.
 */
export async function* readMessages(
  files: ExportFiles,
  { days }: Pick<SlackChannel, 'days'>,
  onSkipped: (reason: Skipped) => void,
): AsyncGenerator<SlackMessage> {
  let waiting: SlackMessage[] = []
  let lastAt = Number.NaN
  function* take(count: number): Generator<SlackMessage> {
    waiting.sort((a, b) => a.at - b.at)
    const taken = waiting.slice(0, count)
    waiting = waiting.slice(count)
    for (const message of taken) {
      if (message.at === lastAt) onSkipped('duplicate')
      else {
        lastAt = message.at
        yield message
      }
    }
  }
  for (const day of days) {
    for await (const element of readDay(files, day)) {
      if ('problem' in element) {
        onSkipped(element.problem)
        continue
      }
      const fields = element.value
      const at = isObject(fields) ? microsecondsOf(fields['ts']) : null
      if (at === null) onSkipped('without a time')
      else waiting.push({ at, fields: fields as Fields })
      if (waiting.length >= 2 * windowSize) yield* take(windowSize)
    }
  }
  yield* take(waiting.length)
}

/** The entries of a file. One whose bytes are damaged ends with a problem. */
async function* readDay(files: ExportFiles, day: string): ReturnType<typeof readJsonArray> {
  try {
    yield* readJsonArray(await files.open(day))
  } catch {
    yield { problem: 'damaged' }
  }
}

/**
 * Finds the number of a message by its time. The times are stored as plain numbers, in the order in which they are added, since a
 * channel can have millions.
 */
export function createTimeIndex(): {
  add(at: number, value: number): void
  find(at: number): number | undefined
  /** The latest time. */
  lastAt(): number | undefined
} {
  let times = new Float64Array(1_024)
  let values = new Float64Array(1_024)
  let length = 0
  /** Messages that came late. */
  const late = new Map<number, number>()
  const grow = (array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
    const grown = new Float64Array(array.length * 2)
    grown.set(array)
    return grown
  }
  return {
    add(at, value) {
      if (length > 0 && at <= times[length - 1]!) {
        late.set(at, value)
        return
      }
      if (length === times.length) [times, values] = [grow(times), grow(values)]
      times[length] = at
      values[length++] = value
    },
    find(at) {
      let [low, high] = [0, length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (times[middle]! < at) low = middle + 1
        else high = middle
      }
      return low < length && times[low] === at ? values[low] : late.get(at)
    },
    lastAt: () => (length === 0 ? undefined : times[length - 1]),
  }
}
