import { randomUUID } from 'node:crypto'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { CommandName, Uuid } from '../../wire/linnet.ts'
import type { Asker } from './people.ts'
import { deadlocksOf, holesIn } from './sequences.ts'

export interface CrowdReport {
  clients: number
  requests: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** By name: what the rules of the workspace refused. */
  refused: Record<string, number>
  /** Answers that no client should get. */
  faults: string[]
  deadlocks: number
  holes: string[]
}

/** What somebody does in one channel: `id` is a message of theirs there, `root` somebody's. */
type Turn = (at: { channel: Uuid; root: Uuid; id: Uuid; others: Uuid[] }) => [CommandName, object]

const TURNS: readonly Turn[] = [
  ({ channel }) => ['join_channel', { channel }],
  ({ channel, id }) => ['send_message', { id, channel, body: `Said <!channel> ${id.slice(0, 6)}` }],
  ({ channel, root }) => [
    'send_message',
    { id: randomUUID(), channel, body: 'An answer', thread_root: root, also_to_channel: Math.random() < 0.5 },
  ],
  ({ root }) => ['react', { message: root, emoji: '👍', on: true }],
  ({ id }) => ['edit_message', { id, body: 'Said better', edit: randomUUID() }],
  ({ channel }) => ['mark_read', { channel, seq: 1_000_000, read_version: 0 }],
  ({ root }) => ['react', { message: root, emoji: '👍', on: false }],
  ({ channel }) => ['leave_channel', { channel }],
  ({ root }) => ['mark_thread_read', { root, thread_seq: 1_000_000, read_version: 1 }],
  ({ channel }) => ['join_channel', { channel }],
  ({ channel, others }) => ['add_members', { channel, people: others }],
  ({ root }) => ['follow_thread', { root, on: Math.random() < 0.5 }],
  ({ channel }) => ['mark_unread', { channel, seq: 2 }],
  ({ root }) => ['pin_message', { message: root, on: Math.random() < 0.5 }],
  ({ channel }) => ['update_channel', { channel, topic: `Topic ${Math.random()}` }],
  ({ root }) => ['mark_thread_unread', { root, thread_seq: 1 }],
  ({ id }) => ['delete_message', { id }],
]

/**
 * All of them at once, each with two requests under way: in one channel that all are in, and across the others, half
 * of the people in one order of channels and half in the other.
 */
export async function runCrowd(
  admin: Pool,
  o: { workspace: Uuid; lobby: Uuid; people: Asker[]; rounds: number },
): Promise<CrowdReport> {
  const owner = o.people[0]!
  const channels = [o.lobby]
  for (let index = 0; index < 4; index += 1) {
    const id = randomUUID()
    const name = `crowd ${index} ${id.slice(0, 4)}`
    await owner.must('create_channel', { id, workspace: o.workspace, kind: 'public', name })
    channels.push(id)
  }
  const roots: Uuid[] = []
  for (const channel of channels) {
    const id = randomUUID()
    await owner.must('send_message', { id, channel, body: 'A thread' })
    roots.push(id)
  }
  const before = await deadlocksOf(admin)
  const times: number[] = []
  const refused: Record<string, number> = {}
  const faults: string[] = []

  async function ask(asker: Asker, [name, args]: [CommandName, object]) {
    const began = performance.now()
    const { status, body } = await asker.ask(name, args)
    times.push(performance.now() - began)
    if (status === 200) return
    const { message } = (body ?? {}) as { message?: string }
    if (status >= 400 && status < 500 && /^[a-z_]+$/.test(message ?? '')) {
      refused[message!] = (refused[message!] ?? 0) + 1
    } else faults.push(`${name}: ${status} ${JSON.stringify(body)}`)
  }

  async function live(asker: Asker, index: number) {
    const places = channels.map((channel, at) => ({
      channel,
      root: roots[at]!,
      id: randomUUID(),
      others: [] as Uuid[],
    }))
    const order = index % 2 === 0 ? places : [...places].reverse()
    for (let round = 0; round < o.rounds; round += 1) {
      const near = o.people.slice(index, index + 3).map((one) => one.profile)
      for (const turn of TURNS) {
        for (let at = 0; at < order.length; at += 2) {
          const pair = order.slice(at, at + 2).map((place) => Object.assign(place, { others: near }))
          await Promise.all(pair.map((place) => ask(asker, turn(place))))
        }
      }
      for (const place of places) place.id = randomUUID()
    }
  }

  const began = performance.now()
  await Promise.all(o.people.map(live))
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
    deadlocks: (await deadlocksOf(admin)) - before,
    holes: await holesIn(admin),
  }
}
