import { randomUUID } from 'node:crypto'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { Uuid } from '../../wire/linnet.ts'
import { luckOf, sendByOutbox, sendPlainly } from './author.ts'
import type { Written } from './author.ts'
import type { Asker } from './people.ts'
import { arrived, holesIn } from './sequences.ts'

export interface SendsReport {
  sends: number
  /** Of those, the ones that are there as they were written. */
  rows: number
  holes: string[]
  misordered: string[]
}

/** So often a request meets a mishap. */
const MISHAPS = 0.3

/**
 * Everyone writes in all channels and in their threads, half of them by the outbox in two tabs at once, half by
 * plain requests; requests are doubled and cut all the while.
 */
export async function runSends(
  admin: Pool,
  o: { workspace: Uuid; people: Asker[]; sends: number; likelihood?: number },
): Promise<SendsReport> {
  const [owner] = o.people
  const channels: { id: Uuid; root: Uuid }[] = []
  for (let index = 0; index < 4; index += 1) {
    const id = randomUUID()
    await owner!.must('create_channel', {
      id,
      workspace: o.workspace,
      kind: 'public',
      name: `sends ${index} ${id.slice(0, 4)}`,
    })
    const people = o.people.slice(1).map((one) => one.profile)
    if (people.length > 0) await owner!.must('add_members', { channel: id, people })
    const root = randomUUID()
    await owner!.must('send_message', { id: root, channel: id, body: 'A thread' })
    channels.push({ id, root })
  }
  const byAuthor = o.people.map((): Written[] => [])
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
  const luck = luckOf(o.likelihood ?? MISHAPS)
  await Promise.all(
    o.people.map((author, index) =>
      index % 2 === 0
        ? sendByOutbox(author, byAuthor[index]!, luck)
        : sendPlainly(author, byAuthor[index]!, luck),
    ),
  )
  const { rows, misordered } = await arrived(admin, byAuthor.flat())
  return { sends: o.sends, rows, holes: await holesIn(admin), misordered }
}
