import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, testSeed, type Random } from '../../support/random.ts'
import { joinFaults, transcriptFaults } from './compareTranscripts.ts'
import { cuttingProxy, type CuttingProxy } from './cuttingProxy.ts'
import { openLedger, type Ledger } from './ledger.ts'
import { LedgerReader } from './LedgerReader.ts'
import { untilLive, startReaders, settle, writeLines } from './ledgerWorkload.ts'
import { startRealtime, type TestRealtime } from './startRealtime.ts'

const runs = Number(process.env['LINNET_RUNS'] ?? 1)
const sizes = { writers: 20, readers: 200, lines: 1_500 * runs, cutEvery: 4 }

const topics = Array.from({ length: 6 }, (_, at) => `ledger:${at}`)

let realtime: TestRealtime
let proxy: CuttingProxy
let ledger: Ledger

beforeAll(async () => {
  realtime = await startRealtime()
  proxy = await cuttingProxy(realtime.url)
  ledger = await openLedger(realtime.connections(sizes.writers + 4), [...topics, 'ledger:apart'])
})
afterAll(async () => {
  await proxy?.close()
  await realtime?.close()
})

/** Ends the reader's socket in one of the ways in which sockets end. */
function cut(reader: LedgerReader, chance: Random): void {
  const ways = [
    () => reader.destroy(),
    () => reader.leave(),
    () => reader.breakOff(),
    () => proxy.cutAfter(reader.port ?? 0, 0),
    // Within a frame, whose beginning is sent and whose rest is not.
    () => proxy.cutAfter(reader.port ?? 0, 1 + chance.below(400)),
  ]
  chance.pick(ways)!()
}

describe('the comparison', () => {
  const table = [1, 2, 3].map((rev) => ({ rev, text: `line ${rev}` }))
  const [one, two, three] = table as [(typeof table)[0], (typeof table)[0], (typeof table)[0]]
  const hearing = { topic: 't', readTo: 1, received: [1, 2, 3], lasts: true }

  it('finds a lost, a repeated, a swapped and an unexpected line', () => {
    expect(transcriptFaults(table, table)).toEqual([])
    expect(transcriptFaults([one, three], table)).toEqual(['line 2 is lost'])
    expect(transcriptFaults([one, two, two, three], table)).toEqual(['line 2 is there 2 times'])
    expect(transcriptFaults([one, three, two], table)).toEqual(['line 2 stands behind 3'])
    expect(transcriptFaults([...table, { rev: 4, text: 'x' }], table)).toEqual(['"x" is not in the table'])
  })

  it('finds them in the messages of one socket too', () => {
    expect(joinFaults(hearing, 3)).toEqual([])
    expect(joinFaults({ ...hearing, received: [1, 3] }, 3)).toEqual(['t: received 3 after 1, a gap'])
    expect(joinFaults({ ...hearing, received: [1, 2, 2, 3] }, 3)).toEqual(['t: received 2 after 2, a double'])
    expect(joinFaults({ ...hearing, received: [1, 3, 2] }, 2)).toHaveLength(2)
    expect(joinFaults({ ...hearing, received: [3] }, 3)).toHaveLength(1)
    expect(joinFaults(hearing, 4)).toEqual(['t: did not receive 4, the last line'])
    expect(joinFaults({ ...hearing, lasts: false }, 4)).toEqual([])
  })

  it('finds a late reader that relies on broadcasts only', async () => {
    const topic = 'ledger:apart'
    const { token } = await realtime.person()
    const join = async (): Promise<LedgerReader> => {
      const reader = new LedgerReader({
        url: realtime.url,
        anonKey: realtime.anonKey,
        token,
        version: '2.0.0',
        topics: [topic],
        read: ledger.read,
        comeBackAfterMs: () => 0,
        fills: false,
      })
      await untilLive([reader])
      return reader
    }
    const earlier = await join()
    await ledger.write([topic], 'before it came')
    // Only now: a line that is committed and not yet published reaches who joins in between.
    await expect.poll(() => earlier.transcript(topic)).toHaveLength(1)
    const reader = await join()
    await ledger.write([topic], 'when it was there')
    await expect.poll(() => reader.transcript(topic)).toHaveLength(1)
    for (const one of [earlier, reader]) one.end()
    expect(transcriptFaults(reader.transcript(topic), await ledger.read(topic, 0))).toEqual([
      'line 1 is lost',
    ])
  })
})

it(
  `keeps order and loses nothing for ${sizes.readers} readers of ${sizes.writers} writers, cut at random`,
  { timeout: 600_000 * runs },
  async ({ onTestFailed }) => {
    onTestFailed(() => console.error(`seed ${testSeed}: run it again with LINNET_SEED=${testSeed}`))
    const chance = createRandom(testSeed)
    const readers = await startReaders(realtime, ledger, { topics, count: sizes.readers, url: proxy.url })
    const started = performance.now()
    await writeLines(ledger, {
      chance,
      topics,
      writers: sizes.writers,
      lines: sizes.lines,
      onWritten(line) {
        if (line % sizes.cutEvery === 0) cut(chance.pick(readers)!, chance)
      },
    })
    const wrote = performance.now() - started
    const { transcripts, hearings, deliveries, cuts } = await settle(ledger, readers, topics)
    console.info(
      `${sizes.lines} transactions in ${Math.round(wrote)} ms, ${deliveries} deliveries, ${cuts} sockets cut`,
    )
    expect(transcripts).toEqual([])
    expect(hearings).toEqual([])
    // A policy has half a second, which a busy machine may exceed; the reader joins again.
    const refusals = readers
      .flatMap((reader) => reader.refusals)
      .filter((why) => !why.includes('took too long'))
    expect(refusals).toEqual([])
    // On a busy machine many are chosen again before they have come back.
    expect(cuts).toBeGreaterThan(sizes.lines / sizes.cutEvery / 4)
  },
)
