import type { Uuid } from '../../wire/linnet.ts'
import { createActor } from './actor.ts'
import type { Actor, Leftover, Reducer } from './actor.ts'
import { differences } from './compare.ts'
import type { LawHome } from './home.ts'
import { createNetwork, settle } from './network.ts'
import type { Network } from './network.ts'
import { chanceOf } from './random.ts'
import type { Chance } from './random.ts'

/** Steps between two comparisons. */
const CHAPTER = 250
const WORDS = ['tide', 'rope', 'anchor', 'привет', '港', 'lunch?', 'on my way', 'harbour']
const EMOJI = ['👍', '🎉', '👀']

export interface Divergence {
  /** The step after which it was seen. */
  step: number
  what: string[]
  /** What happened since everything was equal, oldest first. */
  script: string[]
}

export interface StoryOptions {
  home: LawHome
  steps: number
  seed: number
  /** Whether sockets end with rights (the embedded home) or later (a token's life). */
  evicts: boolean
  /** Another reducer, to show that a wrong one is noticed. */
  reduce?: Reducer
  onChapter?: (steps: number) => void
}

interface Seat {
  actor: Actor
  leave: () => Leftover
}

/** Lets people write, read, come and go on a bad network; at each chapter's end everything must be equal. */
export async function tellStory(
  options: StoryOptions,
): Promise<{ divergences: Divergence[]; steps: number }> {
  const { home, steps, seed, reduce } = options
  const chance = chanceOf(seed)
  const network = createNetwork(home, chance, options.evicts)
  await home.said()
  const { ann, bea, cem, gus } = home.people
  const cast = [
    ['ann', ann],
    ['bea', bea],
    ['bea elsewhere', bea],
    ['cem', cem],
    ['gus', gus],
  ] as const
  const seats: Seat[] = cast.map(([label, person]) => createActor(network, label, person, reduce))
  const divergences: Divergence[] = []
  let script: string[] = []

  for (let step = 1; step <= steps; step += 1) {
    const seat = chance.pick(seats)
    let what: string | null
    if (seat && chance.happens(0.3)) what = await act(home, network, chance, seats, seat, reduce)
    else what = await network.step(true)
    if (what === null) {
      await network.pass(chance.below(4_000))
      continue
    }
    script.push(what)
    if (step % CHAPTER !== 0 && step !== steps) continue
    const what2 = await compareAll(home, network, seats)
    if (what2.length > 0) {
      divergences.push({ step, what: what2, script })
      // A wrong state stays wrong: the story ends here.
      break
    }
    script = []
    options.onChapter?.(step)
  }
  for (const { actor } of seats) actor.stop()
  return { divergences, steps }
}

/** Heals the network, lets everything come to rest, and compares each device with a fresh fetch. */
async function compareAll(home: LawHome, network: Network, seats: Seat[]): Promise<string[]> {
  for (const { actor } of seats) network.reconnect(actor.device)
  // Nothing tells of a channel that one reads without belonging to it, until it is looked at.
  const looks = seats.flatMap(({ actor }) =>
    [...actor.store.get().channels.values()]
      .filter((rows) => !rows.entry.member)
      .map((rows) => actor.engine.open(rows.entry.channel.id)),
  )
  // Two rounds: after the first, everyone knows what others did while coming to rest.
  for (let round = 0; round < 2; round += 1) {
    if (!(await rest(network, seats))) return ['does not come to rest']
    for (const { actor } of seats) actor.engine.refresh()
  }
  if (!(await rest(network, seats))) return ['does not come to rest']
  const found: string[] = []
  for (const { actor } of seats) {
    found.push(...(await differences(home, actor)), ...(await outboxFaults(home, actor)))
  }
  for (const look of looks) look()
  return found
}

async function rest(network: Network, seats: Seat[]): Promise<boolean> {
  for (let turn = 0; turn < 400; turn += 1) {
    while ((await network.step(false)) !== null);
    if (network.idle() && seats.every(({ actor }) => !actor.busy())) return true
    await network.pass(2_500)
    await settle()
  }
  return false
}

/** What was written is there once, unless it was refused and is still shown as failed. */
async function outboxFaults(home: LawHome, actor: Actor): Promise<string[]> {
  const failed = new Set(actor.outbox.items().map((item) => item.id))
  const sent = actor.written.filter((one) => !failed.has(one.id)).map((one) => one.id)
  const there = await home.count(sent)
  const found: string[] = []
  if (there !== sent.length) found.push(`${actor.label}: wrote ${sent.length}, there are ${there}`)
  for (const message of actor.outbox.landed()) {
    const rows = actor.store.get().channels.get(message.channel_id)
    // Amid old words there is no place for it yet.
    if (rows?.windows.at(-1)?.to === rows?.entry.counters.last_seq) {
      found.push(`${actor.label}: the overlay of ${message.id} stayed`)
    }
  }
  const order = new Map(actor.written.map((one, index) => [one.id, index]))
  for (const rows of actor.store.get().channels.values()) {
    let last = -1
    for (const seq of [...rows.bySeq.keys()].sort((a, b) => a - b)) {
      const index = order.get(rows.bySeq.get(seq) ?? '')
      if (index === undefined) continue
      if (index < last) found.push(`${actor.label}: two of their messages changed places`)
      last = index
    }
  }
  return found
}

/** One person does one thing. */
async function act(
  home: LawHome,
  network: Network,
  chance: Chance,
  seats: Seat[],
  seat: Seat,
  reduce: Reducer | undefined,
): Promise<string> {
  const { actor } = seat
  const state = actor.store.get()
  const channels = [...state.channels.keys()]
  const channel = actor.opened?.channel ?? chance.pick(channels)
  const rows = channel === undefined ? undefined : state.channels.get(channel)
  const messages = rows ? [...rows.messages.values()].filter((one) => one.kind === 'text') : []
  const live = messages.filter((one) => one.deleted_at === null)
  const own = live.filter((one) => one.author_id === actor.person.profile)
  const roll = chance.below(100)

  const write = async (root: Uuid | null): Promise<string> => {
    if (channel === undefined) return `${actor.label} knows no channel`
    const id = chance.uuid()
    const others = Object.values(home.people).filter((one) => one !== actor.person)
    const mention = chance.happens(0.15) ? ` <@${chance.pick(others)?.profile}>` : ''
    const body = `${chance.pick(WORDS)}${mention}${chance.happens(0.03) ? ' <!channel>' : ''}`
    actor.written.push({ id, channel })
    await actor.outbox.put({
      kind: 'send',
      id,
      channel,
      threadRoot: root,
      alsoToChannel: root !== null && chance.happens(0.3),
      body,
      files: [],
      createdAt: '2026-01-01T00:00:00Z',
    })
    return `${actor.label} writes ${id} in ${channel}${root ? ` under ${root}` : ''}`
  }

  if (roll < 30) return write(null)
  if (roll < 38) {
    const root = chance.pick(live.filter((one) => one.thread_root === null))
    return root ? write(root.id) : 'nothing to answer'
  }
  if (roll < 44) {
    const message = chance.pick(own)
    if (message) {
      const words = { threadRoot: message.thread_root, alsoToChannel: false, files: [], createdAt: '' }
      const asked = { id: chance.uuid(), channel: message.channel_id, message: message.id }
      await actor.outbox.put({ kind: 'edit', ...asked, ...words, body: `${chance.pick(WORDS)} (mended)` })
    }
    return `${actor.label} edits ${message?.id}`
  }
  if (roll < 48) {
    const message = chance.pick(own)
    if (message) {
      const asked = { id: chance.uuid(), channel: message.channel_id, message: message.id }
      await actor.outbox.put({ kind: 'delete', ...asked })
    }
    return `${actor.label} deletes ${message?.id}`
  }
  if (roll < 60) {
    const message = chance.pick(live)
    const emoji = chance.pick(EMOJI) ?? ''
    const on = !message?.reactions.some((one) => one.emoji === emoji && one.mine === true)
    if (message) {
      const asked = { id: chance.uuid(), channel: message.channel_id, message: message.id }
      await actor.outbox.put({ kind: 'react', ...asked, emoji, on })
    }
    return `${actor.label} puts ${emoji} ${on} on ${message?.id}`
  }
  if (roll < 70) {
    const to = chance.pick(channels)
    if (to !== undefined) actor.open(to)
    return `${actor.label} opens ${to}`
  }
  if (roll < 73) {
    actor.close()
    return `${actor.label} closes`
  }
  if (roll < 79 && rows && channel !== undefined) {
    const last = rows.windows.at(-1)?.to ?? 0
    actor.pointers.see(channel, Math.max(1, last - chance.below(3)))
    return `${actor.label} reads`
  }
  if (roll < 81 && rows && channel !== undefined) {
    void actor.pointers.markUnread(channel, Math.max(1, rows.entry.counters.last_seq - chance.below(6)))
    return `${actor.label} marks unread`
  }
  if (roll < 85 && rows && channel !== undefined) {
    const first = rows.windows[0]?.from ?? 1
    const turn = chance.below(4)
    if (turn === 0) actor.views.loadBefore(channel)
    else if (turn === 1) actor.views.loadAfter(channel)
    else if (turn === 2) actor.views.jumpTo(channel, 'end')
    else actor.views.jumpTo(channel, Math.max(1, first - chance.below(20)))
    return `${actor.label} scrolls ${turn}`
  }
  if (roll < 88 && channel !== undefined) {
    const root = chance.pick(messages.filter((one) => one.last_thread_seq > 0))
    if (root) actor.threads.open(channel, root.id)
    return `${actor.label} opens thread ${root?.id}`
  }
  if (roll < 92) {
    if (actor.device.connected) network.disconnect(actor.device)
    else network.reconnect(actor.device)
    return `${actor.label} ${actor.device.connected ? 'is back' : 'is offline'}`
  }
  if (roll < 94) {
    const index = seats.indexOf(seat)
    const offline = !actor.device.connected
    const left = seat.leave()
    seats[index] = createActor(network, actor.label, actor.person, reduce, left)
    if (offline) network.disconnect((seats[index] as Seat).actor.device)
    return `${actor.label} reloads`
  }
  if (roll < 96) {
    actor.engine.beat()
    return `${actor.label} focuses`
  }
  return manage(home, chance, actor)
}

/** Membership and meta: Ann adds and removes people, members join and leave the public side channel. */
function manage(home: LawHome, chance: Chance, actor: Actor): string {
  const { ann, bea, cem, gus } = home.people
  const { lobby, closed, side } = home.channels
  const turn = chance.below(6)
  if (turn === 0) {
    actor.change('update_channel', {
      channel: chance.pick([lobby, closed, side]) ?? lobby,
      topic: chance.uuid(),
    })
    return `${actor.label} changes a topic`
  }
  if (turn === 1 && actor.person !== gus) {
    actor.change(chance.happens(0.5) ? 'join_channel' : 'leave_channel', { channel: side })
    return `${actor.label} joins or leaves`
  }
  if (actor.person !== ann) return 'nobody manages'
  const who = chance.pick([bea, cem, gus]) ?? bea
  const channel = chance.pick([closed, closed, lobby]) ?? closed
  if (turn < 4) {
    actor.change('add_members', { channel, people: [who.profile] })
    return `ann adds ${who.name}`
  }
  actor.change('remove_member', { channel, person: who.profile })
  return `ann removes ${who.name}`
}
