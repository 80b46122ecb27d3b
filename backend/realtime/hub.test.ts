import { expect, it } from 'vitest'
import type { Version } from '../../wire/payloadText.ts'
import { createHub, type Hub, type Subscriber, type Message } from './hub.ts'

/** A subscriber, and the writes to its socket. */
function createSubscriber(o: { version?: Version; replayed?: string[]; reads?: boolean } = {}): Subscriber & {
  writes: Buffer[]
} {
  const writes: Buffer[] = []
  return {
    writes,
    sink: { version: o.version ?? '2.0.0', write: (frames) => void writes.push(frames) },
    reads: { broadcast: o.reads ?? true, presence: false },
    replayed: o.replayed ? new Set(o.replayed) : null,
  }
}

const createMessage = (event: string, encoding: 'json' | 'binary' = 'json'): Message => ({
  kind: 'broadcast',
  broadcast: { event, encoding, body: Buffer.from('{}'), meta: { id: event } },
})

/** The received events, each named by a letter. */
const receivedBy = ({ writes }: { writes: Buffer[] }): string =>
  (
    Buffer.concat(writes)
      .toString('latin1')
      .match(/<\w>(?=\{)/g) ?? []
  )
    .join('')
    .replace(/[<>]/g, '')

function hubWith(...subscribers: Subscriber[]): Hub {
  const hub = createHub({ error() {} })
  for (const one of subscribers) hub.join('k', one)
  return hub
}

it('delivers messages that arrive together in one write, in order, and counts each delivery', async () => {
  const [one, two] = [createSubscriber(), createSubscriber()]
  const hub = hubWith(one, two)
  for (const event of ['<a>', '<b>', '<c>']) hub.publish('k', 'k', createMessage(event))
  expect(one.writes).toEqual([])
  await Promise.resolve()
  expect([receivedBy(one), receivedBy(two)]).toEqual(['abc', 'abc'])
  expect([one.writes.length, hub.stats().deliveries]).toEqual([1, 6])
})

it('encodes a message once per protocol version, however many subscribers there are', async () => {
  const subscribers = Array.from({ length: 4 }, (_, at) =>
    createSubscriber({ version: at % 2 ? '1.0.0' : '2.0.0' }),
  )
  const hub = hubWith(...subscribers)
  hub.publish('k', 'k', createMessage('<a>'))
  await Promise.resolve()
  const [newer, older, newerToo, olderToo] = subscribers.map(({ writes }) => writes[0]!)
  expect(newer).not.toEqual(older)
  // The same buffer, not an equal one.
  expect([newerToo === newer, olderToo === older]).toEqual([true, true])
})

it('preserves the order of messages across topics', async () => {
  const both = createSubscriber()
  const hub = hubWith(both)
  hub.join('other', both)
  hub.publish('k', 'k', createMessage('<a>'))
  hub.publish('other', 'other', createMessage('<b>'))
  hub.publish('k', 'k', createMessage('<c>'))
  await Promise.resolve()
  expect(receivedBy(both)).toBe('abc')
})

it('skips the sender, subscribers without read permission, replayed messages, and binary ones on 1.0.0', async () => {
  const sender = createSubscriber()
  const nonReader = createSubscriber({ reads: false })
  const replayed = createSubscriber({ replayed: ['<a>'] })
  const old = createSubscriber({ version: '1.0.0' })
  const hub = hubWith(sender, nonReader, replayed, old)
  hub.publish('k', 'k', createMessage('<a>'), sender)
  hub.publish('k', 'k', createMessage('<b>', 'binary'))
  await Promise.resolve()
  expect([sender, nonReader, replayed].map(receivedBy)).toEqual(['b', '', 'b'])
  expect(Buffer.concat(old.writes).toString()).toContain('"<a>"')
  expect(Buffer.concat(old.writes).toString()).not.toContain('<b>')
})

it('removes a topic without subscribers', () => {
  const one = createSubscriber()
  const hub = hubWith(one)
  hub.leave('k', one)
  expect([hub.has('k'), hub.stats().topics]).toEqual([false, 0])
})
