import { expect } from 'vitest'
import type { Random } from '../../support/random.ts'
import { joinFaults, transcriptFaults } from './compareTranscripts.ts'
import type { Ledger } from './ledger.ts'
import { LedgerReader } from './LedgerReader.ts'

/** The server under test, as readers need it. */
interface Home {
  url: string
  anonKey: string
  person(): Promise<{ token: string }>
}

/** Starts readers of two topics each, half of them on version 1.0.0, that reconnect at once. */
export async function startReaders(
  realtime: Home,
  ledger: Ledger,
  o: { topics: string[]; count: number; url?: string; comeBackAfterMs?: (tries: number) => number },
): Promise<LedgerReader[]> {
  const people = await Promise.all(Array.from({ length: 10 }, () => realtime.person()))
  const readers = Array.from({ length: o.count }, (_, at) => {
    const first = at % o.topics.length
    const second = (first + 1 + (Math.floor(at / o.topics.length) % (o.topics.length - 1))) % o.topics.length
    return new LedgerReader({
      url: o.url ?? realtime.url,
      anonKey: realtime.anonKey,
      token: people[at % people.length]!.token,
      version: at % 2 === 0 ? '2.0.0' : '1.0.0',
      topics: [o.topics[first]!, o.topics[second]!],
      read: ledger.read,
      comeBackAfterMs: o.comeBackAfterMs ?? ((tries) => (tries === 1 ? 0 : 100)),
    })
  })
  await untilLive(readers)
  return readers
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const waiting = (readers: LedgerReader[]): string[] =>
  readers.flatMap((reader, at) => {
    const topics = reader.topics.filter((topic) => !reader.isLive(topic))
    return topics.length > 0 ? [`reader ${at} of ${topics.join(', ')}: ${reader.refusals.at(-1) ?? ''}`] : []
  })

/** Waits until all have joined and read what they missed. */
export async function untilLive(readers: LedgerReader[]): Promise<void> {
  await expect.poll(() => waiting(readers).slice(0, 5)).toEqual([])
}

/** Writes `lines` with several writers, each to one or two topics, some rolled back. */
export async function writeLines(
  ledger: Ledger,
  o: { chance: Random; topics: string[]; writers: number; lines: number; onWritten?: (line: number) => void },
): Promise<void> {
  let written = 0
  let attempts = 0
  const writeOn = async (): Promise<void> => {
    while (written < o.lines) {
      const line = ++written
      const first = o.chance.pick(o.topics)!
      const topics = o.chance.happens(0.2) ? [...new Set([first, o.chance.pick(o.topics)!])] : [first]
      try {
        await ledger.write(topics, `line ${line}.${++attempts}`, o.chance.happens(0.1))
      } catch {
        // PostgreSQL became unavailable: the table shows whether it was written.
        written--
        await pause(50)
        continue
      }
      o.onWritten?.(line)
    }
  }
  await Promise.all(Array.from({ length: o.writers }, writeOn))
}

/**
 * Writes to every topic, as soon as the database accepts it, and waits until each reader has joined and received it.
 * Returns the time since `since` in ms.
 */
async function served(
  ledger: Ledger,
  readers: LedgerReader[],
  topics: string[],
  since: number,
): Promise<number> {
  const text = `served ${crypto.randomUUID()}`
  const write = (): Promise<boolean> =>
    ledger.write(topics, text).then(
      () => true,
      () => false,
    )
  await expect.poll(write).toBe(true)
  const waits = (): number => readers.filter((reader) => !reader.has(text)).length
  await expect.poll(waits, { interval: 10 }).toBe(0)
  return Math.round(performance.now() - since)
}

/**
 * Waits until every reader has the last line of its topics, stops them, and returns the faults of their copies
 * (`transcripts`) and of the messages they received (`hearings`), as sentences.
 */
export async function settle(
  ledger: Ledger,
  readers: LedgerReader[],
  topics: string[],
): Promise<{ transcripts: string[]; hearings: string[]; deliveries: number; cuts: number }> {
  const tables = new Map(
    await Promise.all(topics.map(async (topic) => [topic, await ledger.read(topic, 0)] as const)),
  )
  const last = (topic: string): number => tables.get(topic)!.at(-1)?.rev ?? 0
  const behind = (): string[] =>
    readers.flatMap((reader, at) =>
      reader.topics
        .filter((topic) => !reader.isLive(topic) || (reader.transcript(topic).at(-1)?.rev ?? 0) < last(topic))
        .map((topic) => `reader ${at} has not received the end of ${topic}`),
    )
  await expect.poll(() => behind().slice(0, 5)).toEqual([])
  for (const reader of readers) reader.end()
  return {
    transcripts: readers.flatMap((reader, at) =>
      reader.topics.flatMap((topic) =>
        transcriptFaults(reader.transcript(topic), tables.get(topic)!).map(
          (fault) => `reader ${at}, ${topic}: ${fault}`,
        ),
      ),
    ),
    hearings: readers.flatMap((reader) =>
      reader.hearings.flatMap((hearing) => joinFaults(hearing, last(hearing.topic))),
    ),
    deliveries: readers.reduce(
      (sum, reader) =>
        sum + reader.hearings.reduce((deliveries, hearing) => deliveries + hearing.received.length, 0),
      0,
    ),
    cuts: readers.reduce((sum, reader) => sum + reader.connects - 1, 0),
  }
}

/**
 * Writes and reads, causes `fault` during it, disconnects some readers that are reconnecting, and continues. `servedMs`:
 * from the fault until all have received a later line.
 */
export async function runWithFault(
  fault: () => Promise<void>,
  o: { ledger: Ledger; readers: LedgerReader[]; topics: string[]; chance: Random },
): Promise<Awaited<ReturnType<typeof settle>> & { servedMs: number }> {
  const { ledger, readers, topics, chance } = o
  let broken: Promise<number> | null = null
  await writeLines(ledger, {
    chance,
    topics,
    writers: 8,
    lines: 300,
    onWritten(line) {
      if (line < 100 || broken) return
      const since = performance.now()
      broken = fault().then(() => served(ledger, readers, topics, since))
      for (let cuts = 0; cuts < readers.length / 10; cuts++) chance.pick(readers)!.destroy()
    },
  })
  const servedMs = await broken!
  return { ...(await settle(ledger, readers, topics)), servedMs }
}
