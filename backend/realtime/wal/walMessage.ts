import type { Broadcast } from '../../../wire/realtime.ts'
import { createPgoutputReader, type WalValue, type Relation } from './pgoutput.ts'

/** A message of realtime.messages. `broadcast.body` references the WAL buffer if the message was read from the WAL. */
export interface WalMessage {
  id: string
  topic: string
  private: boolean
  broadcast: Broadcast
}

/** A row of `realtime.end_subscriptions`: these users no longer receive the private topic. */
export interface SubscriptionEnd {
  id: string
  topic: string
  endedUsers: string[]
}

const columns = [
  'id',
  'topic',
  'extension',
  'private',
  'event',
  'payload',
  'binary_payload',
  'skip_broadcast',
] as const
type Column = (typeof columns)[number]

/**
 * Reads inserts into partitions of realtime.messages from one stream. Returns null for other messages.
 * @param onOtherRow called for an insert into another table
 */
export function createMessageReader(
  onOtherRow: () => void,
): (data: Buffer) => WalMessage | SubscriptionEnd | null {
  const read = createPgoutputReader()
  // Column indexes by relation; a table that is announced again is another object.
  const indexes = new WeakMap<Relation, Record<Column, number> | null>()

  return (data) => {
    const entry = read(data)
    if (entry?.kind === 'relation') indexes.set(entry.relation, indexesOf(entry.relation))
    if (entry?.kind !== 'insert') return null
    const at = indexes.get(entry.relation)
    if (at) return toSubscriptionEnd(entry.row, at) ?? toMessage(entry.row, at)
    onOtherRow()
    return null
  }
}

function indexesOf(relation: Relation): Record<Column, number> | null {
  if (relation.schema !== 'realtime' || !relation.name.startsWith('messages')) return null
  const indexOf = (columnName: Column): number =>
    relation.columns.findIndex((column) => column.name === columnName)
  return {
    id: indexOf('id'),
    topic: indexOf('topic'),
    extension: indexOf('extension'),
    private: indexOf('private'),
    event: indexOf('event'),
    payload: indexOf('payload'),
    binary_payload: indexOf('binary_payload'),
    skip_broadcast: indexOf('skip_broadcast'),
  }
}

function toSubscriptionEnd(row: WalValue[], at: Record<Column, number>): SubscriptionEnd | null {
  if (row[at.extension]?.toString('latin1') !== 'system') return null
  if (row[at.event]?.toString('latin1') !== 'end_subscriptions') return null
  const [id, topic, payload] = [row[at.id], row[at.topic], row[at.payload]]
  if (!id || !topic || !payload) return null
  return {
    id: id.toString('latin1'),
    topic: topic.toString('utf8'),
    ...readEndedUsers(payload.toString('utf8')),
  }
}

/** Reads the payload of `realtime.end_subscriptions`. A role that may insert rows can have inserted any other payload. */
export function readEndedUsers(payload: string): Pick<SubscriptionEnd, 'endedUsers'> {
  const users = (JSON.parse(payload) as { users?: unknown } | null)?.users
  return { endedUsers: Array.isArray(users) ? users.filter((user) => typeof user === 'string') : [] }
}

/**
 * Null for a row that is not delivered: it was published before it was stored, or has no event or payload, which the
 * hosted service drops too.
 */
function toMessage(row: WalValue[], at: Record<Column, number>): WalMessage | null {
  if (row[at.skip_broadcast]?.[0] === 0x74) return null
  const bytes = row[at.binary_payload]
  const body = bytes ? fromHex(bytes) : row[at.payload]
  const [id, topic, event, isPrivate] = [row[at.id], row[at.topic], row[at.event], row[at.private]]
  if (!id || !topic || !event || !isPrivate || !body) return null
  const messageId = id.toString('latin1')
  return {
    id: messageId,
    topic: topic.toString('utf8'),
    private: isPrivate[0] === 0x74,
    broadcast: {
      event: event.toString('utf8'),
      encoding: bytes ? 'binary' : 'json',
      body,
      meta: { id: messageId },
    },
  }
}

/** `bytea` as text is `\x` and hexadecimal digits. */
function fromHex(text: Buffer): Buffer {
  return Buffer.from(text.toString('latin1', 2), 'hex')
}
