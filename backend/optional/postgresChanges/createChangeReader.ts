import type pg from 'pg'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { createWalReader, type WalReader } from '../../realtime/wal/walReader.ts'
import { createPgoutputReader, type Relation } from '../../realtime/wal/pgoutput.ts'
import { commitTimestamp, toWalChange, type WalChange } from './walChange.ts'
import { connectionOptions } from './sessionSettings.ts'

/** Reads a publication while there are subscriptions. */
export interface ChangeReader {
  /** Starts reading if `isNeeded`, or stops after a while if not. */
  update(): void
  /** Resolves once it is reading. */
  whenReady(): Promise<void>
  pause(): void
  resume(): void
  /** Of the WAL reader; null while it is not needed. */
  stats(): ReturnType<WalReader['stats']> | null
  close(): Promise<void>
}

/** How long it continues without subscriptions, so that a page reload does not restart it. */
const lingerMs = 2_000

export function createChangeReader(o: {
  config: pg.ClientConfig
  /** Of the same database. */
  pool: Pool
  publication: string
  /** How much unread WAL is allowed. */
  maxLagBytes: number
  isNeeded: () => boolean
  /** Whether there are subscriptions to the table with this OID. */
  hasTable: (relationId: number) => boolean
  onTable: (relation: Relation) => void
  onChange: (change: WalChange) => void
  /** A part of the WAL is lost: changes in it are not delivered. */
  onGap: () => void
  log: Logger
}): ChangeReader {
  let reader: WalReader | null = null
  let lingerTimer: NodeJS.Timeout | null = null
  let opening: Promise<void> | null = null
  let closing: Promise<void> = Promise.resolve()
  let closed = false

  const open = (): WalReader =>
    createWalReader({
      config: { ...o.config, options: [o.config.options, connectionOptions].filter(Boolean).join(' ') },
      pool: o.pool,
      publication: o.publication,
      name: 'changes',
      maxLagBytes: o.maxLagBytes,
      open: readStream,
      async onGap(phase) {
        if (phase === 'starting') o.onGap()
      },
      log: o.log,
    })

  const readStream = (): ((data: Buffer) => void) => {
    const read = createPgoutputReader()
    let committedAt = ''
    return (data) => {
      const entry = read(data)
      if (!entry || entry.kind === 'commit') return
      if (entry.kind === 'begin') committedAt = commitTimestamp(entry.committedAt)
      else if (entry.kind === 'relation') o.onTable(entry.relation)
      else if (o.hasTable(entry.relation.id)) o.onChange(toWalChange(entry, committedAt))
    }
  }

  /** The previous reader first drops its replication slot, which would block the next. */
  const startReading = async (): Promise<void> => {
    await closing
    opening = null
    if (o.isNeeded() && !closed) reader = open()
  }

  const stopReading = (): void => {
    lingerTimer = null
    if (o.isNeeded() || !reader) return
    closing = reader.close()
    reader = null
  }

  return {
    update() {
      if (o.isNeeded()) {
        if (lingerTimer) clearTimeout(lingerTimer)
        lingerTimer = null
        if (!reader) opening ??= startReading()
      } else if (reader) lingerTimer ??= setTimeout(stopReading, lingerMs).unref()
    },
    async whenReady() {
      await opening
      await reader?.whenReady()
    },
    pause: () => reader?.pause(),
    resume: () => reader?.resume(),
    stats: () => reader?.stats() ?? null,
    async close() {
      closed = true
      if (lingerTimer) clearTimeout(lingerTimer)
      await opening
      const last = reader
      reader = null
      await Promise.all([closing, last?.close()])
    },
  }
}
