import { isDeepStrictEqual } from 'node:util'
import { unreadOf } from '../../app/data/sync/counts.ts'
import type { ChannelRows } from '../../app/data/sync/state.ts'
import { hasAfter, hasBefore } from '../../app/data/sync/views.ts'
import type { ChannelEntry, Message, Uuid } from '../../wire/linnet.ts'
import type { Actor } from './actor.ts'
import type { LawHome } from './home.ts'

/** Compares all that an actor holds with a fresh fetch as the same person; answers what differs. */
export async function differences(home: LawHome, actor: Actor): Promise<string[]> {
  const found: string[] = []
  const say = (what: string, held: unknown, fresh: unknown) => {
    if (isDeepStrictEqual(held, fresh)) return
    found.push(`${actor.label}: ${what}\n    held  ${short(held)}\n    fresh ${short(fresh)}`)
  }
  const state = actor.store.get()
  const answer = await home.ask(actor.person, 'bootstrap', {})
  if (!answer.ok) return [`${actor.label}: bootstrap refused with ${answer.failure.name}`]
  const fresh = answer.value
  say('me', state.me, fresh.me)
  say('workspace', state.workspace, fresh.workspace)
  say(
    'members',
    [...state.members.values()].map((one) => one.profile.id).sort(),
    fresh.members.map((one) => one.profile.id).sort(),
  )
  for (const member of fresh.members) say('a member', state.members.get(member.profile.id), member)

  const held = [...state.channels.values()].filter((rows) => rows.entry.member)
  const ids = (entries: ChannelEntry[]) => entries.map((entry) => entry.channel.id).sort()
  say('channels', ids(held.map((rows) => rows.entry)), ids(fresh.channels))
  for (const entry of fresh.channels) {
    const rows = state.channels.get(entry.channel.id)
    if (rows) compareEntry(rows, entry, state.me?.profile.id ?? null, say)
  }
  for (const rows of state.channels.values()) await compareWords(home, actor, rows, say, found)
  return found
}

type Say = (what: string, held: unknown, fresh: unknown) => void

function compareEntry(rows: ChannelRows, fresh: ChannelEntry, me: Uuid | null, say: Say) {
  const { entry } = rows
  const at = `${fresh.channel.name ?? 'direct'} `
  say(`${at}channel`, entry.channel, fresh.channel)
  say(`${at}role`, [entry.channel_role, entry.member], [fresh.channel_role, fresh.member])
  say(`${at}floor`, entry.history_from_seq, fresh.history_from_seq)
  say(`${at}counters`, entry.counters, fresh.counters)
  say(`${at}state`, entry.state, fresh.state)
  say(`${at}unread`, unreadOf(rows, me, 0), fresh.counts)
  const when = (time: string | null) => (time === null ? null : Date.parse(time))
  say(`${at}last message`, when(entry.last_message_at), when(fresh.last_message_at))
}

async function compareWords(home: LawHome, actor: Actor, rows: ChannelRows, say: Say, found: string[]) {
  const { channel } = rows.entry
  const at = `${channel.name ?? 'direct'} `
  for (const window of rows.windows) {
    const fresh: Message[] = []
    for (let after = window.from - 1; after < window.to;) {
      const page = await home.ask(actor.person, 'channel_page', { channel: channel.id, after, limit: 100 })
      if (!page.ok) {
        found.push(`${actor.label}: ${at}page refused with ${page.failure.name}`)
        return
      }
      fresh.push(...page.value.messages.filter((message) => (message.seq ?? 0) <= window.to))
      const last = page.value.messages.at(-1)?.seq ?? window.to
      after = Math.max(last, after + 1)
    }
    const held: Message[] = []
    for (let seq = window.from; seq <= window.to; seq += 1) {
      const message = rows.messages.get(rows.bySeq.get(seq) ?? '')
      if (message) held.push(message)
    }
    say(`${at}numbers ${window.from}–${window.to}`, numbersOf(held), numbersOf(fresh))
    for (const [index, message] of fresh.entries()) say(`${at}message`, held[index], message)
    const edge = await home.ask(actor.person, 'channel_page', {
      channel: channel.id,
      before: window.from,
      limit: 1,
    })
    const more = await home.ask(actor.person, 'channel_page', {
      channel: channel.id,
      after: window.to,
      limit: 1,
    })
    if (edge.ok) say(`${at}has before`, hasBefore(rows, window), edge.value.messages.length > 0)
    if (more.ok) say(`${at}has after`, hasAfter(rows, window), more.value.messages.length > 0)
  }
  for (const [root, thread] of rows.threads) {
    for (const window of thread.windows) {
      const page = await home.ask(actor.person, 'thread_page', { root, after: window.from - 1, limit: 100 })
      if (!page.ok) {
        found.push(`${actor.label}: ${at}thread refused with ${page.failure.name}`)
        return
      }
      say(`${at}root`, rows.messages.get(root), page.value.root)
      for (const reply of page.value.messages) {
        if (reply.thread_seq === null || reply.thread_seq > window.to) continue
        say(`${at}reply`, rows.messages.get(thread.byNumber.get(reply.thread_seq) ?? ''), reply)
      }
    }
  }
}

function numbersOf(messages: Message[]): string[] {
  return messages.map((message) => `${message.seq} ${message.id}`)
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 900 ? `${text.slice(0, 900)}…` : text
}
