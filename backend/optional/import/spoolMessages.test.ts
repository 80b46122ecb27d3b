import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import type { ExportedMessage } from './ExportReader.ts'
import { spoolMessages } from './spoolMessages.ts'

const message = (channel: string, key: string, at: number, text = key): ExportedMessage => ({
  channel,
  key,
  at,
  author: { key: 'U1', name: '' },
  root: null,
  isInChannel: true,
  content: { kind: 'text', fields: { text } },
  editedAt: null,
  reactions: [],
  files: [],
  pin: null,
})

async function* from(messages: readonly ExportedMessage[]): AsyncGenerator<ExportedMessage> {
  yield* messages
}

const collect = async (messages: AsyncIterable<ExportedMessage>): Promise<ExportedMessage[]> => {
  const found: ExportedMessage[] = []
  for await (const one of messages) found.push(one)
  return found
}

it.each([1, 100, 2 ** 24])(
  'messages are sorted by channel and time, with writes of %d bytes',
  async (maxWaiting) => {
    const all: ExportedMessage[] = []
    // Texts of different sizes; 7,919 and 5,000 have no common divisor, so that each time occurs once.
    for (let i = 0; i < 5_000; i++)
      all.push(message(`C${i % 3}`, String(i), (i * 7_919) % 5_000, 'ü'.repeat(i % 40)))
    const spool = await spoolMessages(from(all), { directory: tmpdir(), maxWaiting })
    for (const channel of ['C0', 'C1', 'C2'])
      expect(await collect(spool.read(channel))).toEqual(
        all.filter((one) => one.channel === channel).sort((a, b) => a.at - b.at),
      )
    expect(await collect(spool.read('C3'))).toEqual([])
    await spool.close()
  },
)

it('messages with the same time keep their order, and a repeated one is left out', async () => {
  const spool = await spoolMessages(
    from([
      message('C1', 'b', 5),
      message('C1', 'a', 5),
      message('C1', 'c', 1),
      message('C1', 'b', 5, 'again'),
    ]),
    { directory: tmpdir() },
  )
  const duplicates: number[] = []
  const found = await collect(spool.read('C1', () => duplicates.push(1)))
  expect(found.map(({ key }) => key)).toEqual(['c', 'b', 'a'])
  expect(found[1]!.content).toEqual({ kind: 'text', fields: { text: 'b' } })
  expect(duplicates).toHaveLength(1)
  await spool.close()
})
