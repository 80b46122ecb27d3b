import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, testSeed } from '../../support/random.ts'
import { dropSlot, endLogSender } from './dropSlot.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { startReaders, runWithFault } from './ledgerWorkload.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

const sockets = Number(process.env['LINNET_SOCKETS'] ?? 100)

let realtime: TestRealtime
let ledger: Ledger

const faults: Record<string, () => Promise<void>> = {
  'killed with signal 9': () => realtime.killPostgres(),
  'restarted in good order': () => realtime.restartPostgres(),
  'asked to end the connection that sends its log': () => endLogSender(realtime),
  'asked to end it, and the next one as soon as it is there': async () => {
    await endLogSender(realtime)
    await endLogSender(realtime)
  },
  'robbed of the slot that keeps its log for us': () => dropSlot(realtime),
}

/** Each fault has its own. */
function topicsOf(fault: string): string[] {
  return [0, 1, 2, 3].map((at) => `ledger:${fault}-${at}`)
}

beforeAll(async () => {
  realtime = await startRealtime({}, { quiet: true })
  ledger = await openLedger(realtime.connections(12), Object.keys(faults).flatMap(topicsOf))
})
afterAll(() => realtime?.close())

describe('PostgreSQL, while people write and read, is', () => {
  it.each(Object.entries(faults))('%s: nothing is lost, repeated or reordered', async (name, fault) => {
    const topics = topicsOf(name)
    const readers = await startReaders(realtime, ledger, { topics, count: sockets })
    const chance = createRandom(testSeed)
    const { transcripts, hearings, deliveries, servedMs } = await runWithFault(fault, {
      ledger,
      readers,
      topics,
      chance,
    })
    console.info(
      `seed ${testSeed}, ${name}: all ${sockets} sockets served after ${servedMs} ms, ${deliveries} deliveries`,
    )
    expect(transcripts).toEqual([])
    expect(hearings).toEqual([])
  })
})
