import type { MessageFact } from '../home/facts.ts'
import type { Library } from './truth.ts'

const MENTION = /<@([0-9a-f-]{36})>/g

/** Laws of the tables themselves: numbers without holes, counts that agree with what they count. */
export function brokenRows(library: Library): string[] {
  const { facts } = library
  const found: string[] = []
  const gapless = (what: string, numbers: number[], last: number) => {
    if (numbers.length !== last || numbers.some((number, index) => number !== index + 1)) {
      found.push(`home: ${what} has ${numbers.join(' ')}, should go from 1 to ${last}`)
    }
  }
  for (const { channel_id: channel, last_seq: last, rev } of facts.channel_counters) {
    const timeline = library.timelines.get(channel) ?? []
    gapless(
      `seq of ${channel}`,
      timeline.map((one) => one.seq ?? 0),
      last,
    )
    const highest = Math.max(0, ...facts.messages.map((one) => (one.channel_id === channel ? one.rev : 0)))
    if (highest > rev) found.push(`home: a message of ${channel} has rev ${highest}, the channel ${rev}`)
  }
  for (const message of facts.messages) checkMessage(message, library, found, gapless)
  return found
}

function checkMessage(
  message: MessageFact,
  library: Library,
  found: string[],
  gapless: (what: string, numbers: number[], last: number) => void,
) {
  const { id, body } = message
  const say = (what: string) => found.push(`home: “${body || id}” ${what}`)
  if (message.thread_root === null) {
    const replies = library.replies.get(id) ?? []
    gapless(
      `thread_seq of ${id}`,
      replies.map((one) => one.thread_seq ?? 0),
      message.last_thread_seq,
    )
    const live = replies.filter((one) => one.deleted_at === null)
    if (message.reply_count !== live.length) say(`counts ${message.reply_count} replies of ${live.length}`)
    const faces = [...new Set(live.map((one) => one.author_id).reverse())].slice(0, 3)
    if (faces.join() !== message.reply_people.join()) say('shows other faces than of those who replied last')
  } else if (message.seq === null && message.base_seq !== library.messages.get(message.thread_root)?.seq) {
    say('does not stand at its root')
  }
  const rows = library.mentions.get(id) ?? []
  const called = new Set([...body.matchAll(MENTION)].map((match) => match[1]))
  if (rows.some((row) => row.kind === 'person' && !called.has(row.profile_id ?? ''))) {
    say('calls someone it does not name')
  }
  if (rows.some((row) => row.kind === 'channel') !== body.includes('<!channel>')) {
    say('calls everyone, or does not')
  }
}
