import type { MessageRow } from '../database/tables.ts'
import type { IndexedTables } from './expectedView.ts'

const MENTION = /<@([0-9a-f-]{36})>/g

/** Invariants of the tables: numbers without gaps, counts that match the rows. */
export function checkTables(indexed: IndexedTables): string[] {
  const { tables } = indexed
  const found: string[] = []
  const gapless = (what: string, numbers: number[], last: number) => {
    if (numbers.length !== last || numbers.some((number, index) => number !== index + 1)) {
      found.push(`database: ${what} has ${numbers.join(' ')}, should go from 1 to ${last}`)
    }
  }
  for (const { channel_id: channel, last_seq: last, rev } of tables.channel_counters) {
    const timeline = indexed.timelines.get(channel) ?? []
    gapless(
      `seq of ${channel}`,
      timeline.map((one) => one.seq ?? 0),
      last,
    )
    const highest = Math.max(0, ...tables.messages.map((one) => (one.channel_id === channel ? one.rev : 0)))
    if (highest > rev) found.push(`database: a message of ${channel} has rev ${highest}, the channel ${rev}`)
  }
  for (const message of tables.messages) checkMessage(message, indexed, found, gapless)
  return found
}

function checkMessage(
  message: MessageRow,
  indexed: IndexedTables,
  found: string[],
  gapless: (what: string, numbers: number[], last: number) => void,
) {
  const { id, body } = message
  const report = (what: string) => found.push(`database: “${body || id}” ${what}`)
  if (message.thread_root === null) {
    const replies = indexed.replies.get(id) ?? []
    gapless(
      `thread_seq of ${id}`,
      replies.map((one) => one.thread_seq ?? 0),
      message.last_thread_seq,
    )
    const live = replies.filter((one) => one.deleted_at === null)
    if (message.reply_count !== live.length) report(`counts ${message.reply_count} replies of ${live.length}`)
    const repliers = [...new Set(live.map((one) => one.author_id).reverse())].slice(0, 3)
    if (repliers.join() !== message.reply_people.join())
      report('has other reply_people than those who replied last')
  } else if (message.seq === null && message.history_seq !== indexed.messages.get(message.thread_root)?.seq) {
    report('has another history_seq than its root')
  }
  const rows = indexed.mentions.get(id) ?? []
  const mentioned = new Set([...body.matchAll(MENTION)].map((match) => match[1]))
  if (rows.some((row) => row.kind === 'person' && !mentioned.has(row.profile_id ?? ''))) {
    report('has a mention that is not in its text')
  }
  if (rows.some((row) => row.kind === 'channel') !== body.includes('<!channel>')) {
    report('disagrees with its text about <!channel>')
  }
}
