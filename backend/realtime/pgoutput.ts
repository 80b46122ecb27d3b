import type { Broadcast } from '../../wire/realtime.ts'

/** A row of realtime.messages as the log tells it. `broadcast.body` views the log's buffer. */
export interface LoggedMessage {
  id: string
  topic: string
  private: boolean
  broadcast: Broadcast
}

const columns = ['id', 'topic', 'private', 'event', 'payload', 'binary_payload'] as const
type Column = (typeof columns)[number]
type Row = Record<Column, Buffer | null>

/**
 * Reads the messages of PostgreSQL's plugin pgoutput, version 1, values as text ("Logical Replication
 * Message Formats" in its manual), as far as inserts into realtime.messages go; says null to all others.
 */
export function createPgoutputReader(): (data: Buffer) => LoggedMessage | null {
  // A partition each: for the relation's id, where each column that matters stands in its rows.
  const relations = new Map<number, Map<number, Column>>()

  const readRelation = (data: Buffer): void => {
    let at = 5
    const text = (): string => {
      const end = data.indexOf(0, at)
      const value = data.toString('utf8', at, end)
      at = end + 1
      return value
    }
    const namespace = text()
    const name = text()
    at += 1
    const count = data.readUInt16BE(at)
    at += 2
    const places = new Map<number, Column>()
    for (let place = 0; place < count; place++) {
      at += 1
      const column = text() as Column
      if (columns.includes(column)) places.set(place, column)
      at += 8
    }
    if (namespace === 'realtime' && name.startsWith('messages')) relations.set(data.readUInt32BE(1), places)
  }

  const readInsert = (data: Buffer): LoggedMessage | null => {
    const places = relations.get(data.readUInt32BE(1))
    if (!places) return null
    const row: Row = {
      id: null,
      topic: null,
      private: null,
      event: null,
      payload: null,
      binary_payload: null,
    }
    const count = data.readUInt16BE(6)
    let at = 8
    for (let place = 0; place < count; place++) {
      const kind = data[at]
      at += 1
      if (kind !== 0x74) continue
      const length = data.readUInt32BE(at)
      at += 4
      const column = places.get(place)
      if (column) row[column] = data.subarray(at, at + length)
      at += length
    }
    return toMessage(row)
  }

  return (data) => {
    if (data[0] === 0x52) readRelation(data)
    return data[0] === 0x49 ? readInsert(data) : null
  }
}

/** Null for a row that says nothing: without event or payload, as the hosted service drops it too. */
function toMessage(row: Row): LoggedMessage | null {
  const body = row.binary_payload ? fromHex(row.binary_payload) : row.payload
  if (!row.id || !row.topic || !row.event || !row.private || !body) return null
  const id = row.id.toString('latin1')
  return {
    id,
    topic: row.topic.toString('utf8'),
    private: row.private[0] === 0x74,
    broadcast: {
      event: row.event.toString('utf8'),
      encoding: row.binary_payload ? 'binary' : 'json',
      body,
      meta: { id },
    },
  }
}

/** `bytea` as text is `\x` and hexadecimal digits. */
function fromHex(text: Buffer): Buffer {
  return Buffer.from(text.toString('latin1', 2), 'hex')
}
