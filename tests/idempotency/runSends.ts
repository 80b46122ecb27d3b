import { randomUUID } from 'node:crypto'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { sendThroughOutbox, sendDirectly } from './senders.ts'
import type { ExpectedMessage } from './senders.ts'
import type { TestClient } from './people.ts'
import { checkArrived, findGaps } from './checkSequences.ts'

export interface SendsReport {
  sends: number
  /** Of those, stored as they were written. */
  rows: number
  gaps: string[]
  misordered: string[]
}

/** How often a request meets a connection fault. */
const FAULT_PROBABILITY = 0.3

/**
 * Everybody writes in all channels and in their threads, half of them by the outbox in two tabs at once, half by plain
 * requests; requests are duplicated and interrupted.
 */
export async function runSends(
  admin: Pool,
  o: { workspace: Uuid; people: TestClient[]; sends: number; faultProbability?: number },
): Promise<SendsReport> {
  const [owner] = o.people
  const channels: { id: Uuid; root: Uuid }[] = []
  for (let index = 0; index < 4; index += 1) {
    const id = randomUUID()
    await owner!.run('create_channel', {
      id,
      workspace: o.workspace,
      kind: 'public',
      name: `sends ${index} ${id.slice(0, 4)}`,
    })
    const people = o.people.slice(1).map((one) => one.profile)
    if (people.length > 0) await owner!.run('add_members', { channel: id, people })
    const root = randomUUID()
    await owner!.run('send_message', { id: root, channel: id, body: 'A thread' })
    channels.push({ id, root })
  }
  const byAuthor = o.people.map((): ExpectedMessage[] => [])
  for (let index = 0; index < o.sends; index += 1) {
    const author = o.people[index % o.people.length]!
    const { id: channel, root } = channels[Math.floor(index / o.people.length) % channels.length]!
    const inThread = index % 3 === 0
    byAuthor[index % o.people.length]!.push({
      id: randomUUID(),
      author: author.profile,
      channel,
      root: inThread ? root : null,
      alsoToChannel: inThread && index % 2 === 0,
      body: `${author.name} ${index}`,
    })
  }
  const probability = o.faultProbability ?? FAULT_PROBABILITY
  await Promise.all(
    o.people.map((author, index) =>
      index % 2 === 0
        ? sendThroughOutbox(author, byAuthor[index]!, probability)
        : sendDirectly(author, byAuthor[index]!, probability),
    ),
  )
  const { rows, misordered } = await checkArrived(admin, byAuthor.flat())
  return { sends: o.sends, rows, gaps: await findGaps(admin), misordered }
}
