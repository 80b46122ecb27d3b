import { randomUUID } from 'node:crypto'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { CommandName } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { Random } from '../support/random.ts'
import type { TestClient } from './people.ts'
import { countDeadlocks, findGaps } from './checkSequences.ts'

export interface ConcurrencyReport {
  clients: number
  requests: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Expected refusals by error name. */
  refused: Record<string, number>
  /** Responses that no client should get. */
  faults: string[]
  deadlocks: number
  gaps: string[]
}

/** A command in one channel: `id` is a message of the caller, `root` a thread of the channel. */
type CommandStep = (at: {
  channel: Uuid
  root: Uuid
  id: Uuid
  others: Uuid[]
  random: Random
}) => [CommandName, object]

const STEPS: readonly CommandStep[] = [
  ({ channel }) => ['join_channel', { channel }],
  ({ channel, id }) => ['send_message', { id, channel, body: `Message <!channel> ${id.slice(0, 6)}` }],
  ({ channel, root, random }) => [
    'send_message',
    { id: random.uuid(), channel, body: 'A reply', thread_root: root, also_to_channel: random.happens(0.5) },
  ],
  ({ root }) => ['react', { message: root, emoji: '👍', on: true }],
  ({ id }) => ['edit_message', { id, body: 'Edited', edit: randomUUID() }],
  ({ channel }) => ['mark_read', { channel, seq: 1_000_000, read_version: 0 }],
  ({ root }) => ['react', { message: root, emoji: '👍', on: false }],
  ({ channel }) => ['leave_channel', { channel }],
  ({ root }) => ['mark_thread_read', { root, thread_seq: 1_000_000, read_version: 1 }],
  ({ channel }) => ['join_channel', { channel }],
  ({ channel, others }) => ['add_members', { channel, people: others }],
  ({ root, random }) => ['follow_thread', { root, on: random.happens(0.5) }],
  ({ channel }) => ['mark_unread', { channel, seq: 2 }],
  ({ root, random }) => ['pin_message', { message: root, on: random.happens(0.5) }],
  ({ channel, random }) => ['update_channel', { channel, topic: `Topic ${random.next()}` }],
  ({ root }) => ['mark_thread_unread', { root, thread_seq: 1 }],
  ({ id }) => ['delete_message', { id }],
]

/**
 * All people at once, each with two requests in flight: in one channel that all are in, and in the others, which half of
 * the people visit in one order and half in the reverse order.
 */
export async function runConcurrentCommands(
  admin: Pool,
  o: { workspace: Uuid; lobby: Uuid; people: TestClient[]; rounds: number },
): Promise<ConcurrencyReport> {
  const owner = o.people[0]!
  const channels = [o.lobby]
  for (let index = 0; index < 4; index += 1) {
    const id = randomUUID()
    const name = `concurrent ${index} ${id.slice(0, 4)}`
    await owner.run('create_channel', { id, workspace: o.workspace, kind: 'public', name })
    channels.push(id)
  }
  const roots: Uuid[] = []
  for (const channel of channels) {
    const id = randomUUID()
    await owner.run('send_message', { id, channel, body: 'A thread' })
    roots.push(id)
  }
  const before = await countDeadlocks(admin)
  const times: number[] = []
  const refused: Record<string, number> = {}
  const faults: string[] = []

  async function post(client: TestClient, [name, args]: [CommandName, object]) {
    const began = performance.now()
    const { status, body } = await client.post(name, args)
    times.push(performance.now() - began)
    if (status === 200) return
    const { message } = (body ?? {}) as { message?: string }
    if (status >= 400 && status < 500 && /^[a-z_]+$/.test(message ?? '')) {
      refused[message!] = (refused[message!] ?? 0) + 1
    } else faults.push(`${name}: ${status} ${JSON.stringify(body)}`)
  }

  async function runPerson(client: TestClient, index: number) {
    const targets = channels.map((channel, at) => ({
      channel,
      root: roots[at]!,
      id: randomUUID(),
      others: [] as Uuid[],
      random: client.random,
    }))
    const order = index % 2 === 0 ? targets : [...targets].reverse()
    for (let round = 0; round < o.rounds; round += 1) {
      const adjacent = o.people.slice(index, index + 3).map((one) => one.profile)
      for (const step of STEPS) {
        for (let at = 0; at < order.length; at += 2) {
          const pair = order.slice(at, at + 2).map((target) => Object.assign(target, { others: adjacent }))
          await Promise.all(pair.map((target) => post(client, step(target))))
        }
      }
      for (const target of targets) target.id = randomUUID()
    }
  }

  const began = performance.now()
  await Promise.all(o.people.map(runPerson))
  const seconds = (performance.now() - began) / 1_000
  times.sort((a, b) => a - b)
  const quantile = (part: number) => Math.round((times[Math.floor((times.length - 1) * part)] ?? 0) * 10) / 10
  return {
    clients: o.people.length,
    requests: times.length,
    perSecond: Math.round(times.length / seconds),
    p50: quantile(0.5),
    p99: quantile(0.99),
    refused,
    faults,
    deadlocks: (await countDeadlocks(admin)) - before,
    gaps: await findGaps(admin),
  }
}
