import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chanceOf } from '../../law/random.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { openReaders, served, settle, writeAlong } from './readAlong.ts'
import { startRealtimeHome, type RealtimeHome } from './realtimeHome.ts'

const sockets = Number(process.env['LINNET_SOCKETS'] ?? 100)
const seed = Number(process.env['LINNET_SEED'] ?? 1)
const sizes = { writers: 8, lines: 300, faultAt: 100 }

let home: RealtimeHome
let ledger: Ledger
let topics: string[] = []

const faults: Record<string, () => Promise<void>> = {
  'killed with signal 9': () => home.killPostgres(),
  'restarted in good order': () => home.restartPostgres(),
  'asked to end the connection that tells its log': endLogSender,
  'asked to end it, and the next one as soon as it is there': async () => {
    await endLogSender()
    await endLogSender()
  },
}

async function endLogSender(): Promise<void> {
  const end = async (): Promise<number | null> => {
    const { rowCount } = await home.serviceSql(
      'select pg_terminate_backend(active_pid) from pg_replication_slots where active_pid is not null',
    )
    return rowCount
  }
  await expect.poll(end, { timeout: 30_000 }).toBeGreaterThan(0)
}

beforeAll(async () => {
  home = await startRealtimeHome({}, { quiet: true })
  const all = Object.keys(faults).flatMap((_, at) => [0, 1, 2, 3].map((topic) => `ledger:${at}-${topic}`))
  ledger = await openLedger(home.connections(sizes.writers + 4), all)
})
afterAll(() => home?.close())

describe('PostgreSQL, while people write and read, is', () => {
  it.each(Object.entries(faults))(
    '%s: nothing is lost, doubled or misordered',
    { timeout: 120_000 },
    async (name, fault) => {
      const at = Object.keys(faults).indexOf(name)
      topics = [0, 1, 2, 3].map((topic) => `ledger:${at}-${topic}`)
      const chance = chanceOf(seed)
      const readers = await openReaders(home, ledger, { topics, count: sockets })
      let broken: Promise<number> | null = null
      await writeAlong(ledger, {
        chance,
        topics,
        writers: sizes.writers,
        lines: sizes.lines,
        onWritten(line) {
          if (line < sizes.faultAt || broken) return
          const since = performance.now()
          broken = fault().then(() => served(ledger, readers, topics, since))
          // Whoever comes while it is away waits for it.
          for (let cuts = 0; cuts < sockets / 10; cuts++) chance.pick(readers)!.destroy()
        },
      })
      const ms = await broken
      const { transcripts, hearings, told } = await settle(ledger, readers, topics)
      console.info(`${name}: all ${sockets} sockets served after ${ms} ms, ${told} deliveries`)
      expect(transcripts).toEqual([])
      expect(hearings).toEqual([])
    },
  )
})
