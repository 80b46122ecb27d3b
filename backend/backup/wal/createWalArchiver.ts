import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { destroySocket, readCopyStream, socketOf } from '../../postgres/connections/copyStream.ts'
import { dropInactiveSlot } from '../../postgres/connections/dropInactiveSlot.ts'
import { connectionLost } from '../../postgres/connections/createNotificationListener.ts'
import {
  parseLsn,
  renderLsn,
  segmentBytes,
  segmentName,
  segmentStart,
} from '../../postgres/connections/lsn.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'
import { asBackupError, BackupError } from '../BackupError.ts'
import { createFolder, syncFolder } from '../../runtime/durableFiles.ts'
import { paths, renderWalChunk, type WalChunk } from '../repository/layout.ts'
import { listBackups } from '../repository/manifest.ts'
import { openRepository, type Repository } from '../repository/openRepository.ts'
import { listWal, readShard, selectContinuous } from '../repository/readStored.ts'
import { selectWalOf } from '../repository/walSegments.ts'
import { writeStored } from '../repository/writeStored.ts'
import {
  endContinuous,
  listRemoved,
  releaseRemoved,
  removeRetained,
  retainContinuously,
} from '../source/retainedFiles.ts'
import { writeBackupState, type WalState } from '../state.ts'
import { isBackupRunning } from '../target/lockRepository.ts'
import { createFreeSpace } from '../target/requireFreeSpace.ts'
import { storeFilesSince, storeWithFolder } from '../target/storeFiles.ts'
import { openLog, recordPosition } from '../target/writer.ts'

export interface WalArchiver {
  /** A file of storage was published. It is stored before the log that contains the row of its object. */
  addFile(version: string): void
  /** Whether a base backup is needed before a point in time after now can be restored. */
  needsBackup(): Promise<boolean>
  /** Archives what PostgreSQL has written until now, and stops. The slot retains later log for the next start. */
  close(): Promise<void>
}

export interface WalArchiverOptions {
  dataDir: string
  /** Of a role with REPLICATION. */
  database: ClientConfig
  /** Opens the repository of this installation, or creates it. */
  openRepository: () => Promise<Repository>
  /** Log that may wait to be archived. If there is more, the slot is dropped, so that the disk does not fill up. */
  maxLagBytes: number
  /** Free space that stays on the disk of the repository. */
  reserveBytes: number
  log: Logger
}

const slot = 'linnet_archive'
/** After the first bytes in a quiet time: a transaction writes several records. */
const minDelayMs = 20
/** Between two ranges while the log grows continuously. */
const intervalMs = 1_000
/** Received bytes that may wait for the repository. */
const maxPendingBytes = 1024 * 1024
/** One compressed range replaces the small ranges of a segment after so many. */
const maxSmallRanges = 64
const maxPendingFiles = 10_000
/** Uploads in this time before an interruption may have been missed. */
const overlapMs = 60_000
const maxRetryMs = 60_000
const closeTimeoutMs = 5_000

/** Where archiving continues. */
interface Position {
  /** See renderLog. */
  log: string
  writer: string
  timeline: number
  /** Everything before it is in the repository. */
  archived: bigint
}

/**
 * Streams PostgreSQL's log into the repository while the server runs. The first transaction after a quiet time is
 * archived within milliseconds, and later ones within a second.
 */
export function createWalArchiver(o: WalArchiverOptions): WalArchiver {
  const storageDir = join(o.dataDir, 'storage')
  let position: Position | null = null
  let repository: Repository | null = null
  let client: Client | null = null
  let received = 0n
  let isClosing = false
  let gapSince: string | null = null
  let lastFailure: string | null = null
  let startFlush = (): void => {}
  const files = new Set<string>()
  /** Files were dropped from the list, or the server was interrupted: files since this time are compared. */
  let compareSince: number | null = Date.now() - overlapMs

  const writeState = async (failure: string | null): Promise<void> => {
    if (position === null && failure === null) return
    const state: WalState = {
      at: new Date().toISOString(),
      isRunning: failure === null,
      timeline: position?.timeline ?? 0,
      archivedLsn: renderLsn(position?.archived ?? 0n),
      lagBytes: position && received > position.archived ? Number(received - position.archived) : 0,
      failure,
      gapSince,
    }
    await writeBackupState(o.dataDir, 'wal', state).catch(() => {})
  }

  const loseLog = async (reason: string): Promise<void> => {
    gapSince = new Date().toISOString()
    o.log.error('backup.log_not_archived', { reason })
    // No point in time can be restored until the next backup, which stores all files.
    await endContinuous(storageDir)
    await releaseRemoved(storageDir)
  }

  /** Returns where the slot retains the log from; null where there is no slot. Drops it where too much waits. */
  const findSlot = async (current: Client, end: bigint): Promise<bigint | null> => {
    const { rows } = await current.query<{ slot_type: string | null; restart_lsn: string | null }>(
      `READ_REPLICATION_SLOT ${slot}`,
    )
    const found = rows[0]!
    if (found.slot_type !== null) {
      const restart = found.restart_lsn === null ? null : parseLsn(found.restart_lsn)
      if (restart !== null && end - restart <= BigInt(o.maxLagBytes) + segmentBytes) return restart
      await loseLog(
        `More of the log waited than backup.max_wal_size allows (${o.maxLagBytes} bytes). Points in time can be ` +
          'restored again after the next backup.',
      )
      await current.query(`DROP_REPLICATION_SLOT ${slot} WAIT`)
    }
    return null
  }

  const createSlot = async (current: Client): Promise<bigint> => {
    await current.query(`CREATE_REPLICATION_SLOT ${slot} PHYSICAL RESERVE_WAL`)
    const { rows } = await current.query<{ restart_lsn: string }>(`READ_REPLICATION_SLOT ${slot}`)
    return parseLsn(rows[0]!.restart_lsn)
  }

  const attempt = async (_: boolean, established: () => void): Promise<void> => {
    const current = new Client({ ...o.database, replication: 'true' } as ClientConfig)
    client = current
    const lost = connectionLost(current)
    try {
      await current.connect()
      const { rows } = await current.query<{ systemid: string; timeline: string; xlogpos: string }>(
        'IDENTIFY_SYSTEM',
      )
      const { systemid: systemIdentifier, timeline: timelineText, xlogpos } = rows[0]!
      const timeline = Number(timelineText)
      const restart = await findSlot(current, parseLsn(xlogpos))
      // Checked after the slot: while the repository can't be opened, the log must not fill the disk.
      const {
        repository: opened,
        writer,
        log,
      } = await openLog(await o.openRepository(), o.dataDir, { systemIdentifier, timeline })
      repository = opened
      await clearFolders(opened, log, timeline)
      await retainContinuously(storageDir)
      const from = restart ?? (await createSlot(current))
      const chunks = await listWal(opened.dir, log)
      const known = selectContinuous(chunks, timeline, segmentStart(from))
      const archived = known.at(-1)?.end ?? segmentStart(from)
      position = { log, writer, timeline, archived }
      received = archived
      if (compareSince !== null) {
        const newest = Math.max(0, ...chunks.map(({ writtenAt }) => writtenAt))
        if (newest > 0) compareSince = Math.min(compareSince, newest - overlapMs)
      }
      await stream(current, lost, opened, position, established)
    } catch (error) {
      compareSince ??= Date.now() - overlapMs
      throw asBackupError(error, repository?.dir ?? o.dataDir)
    } finally {
      startFlush = () => {}
      destroySocket(current)
    }
  }

  /** Reads the stream, and writes ranges one after another. */
  const stream = async (
    current: Client,
    lost: Promise<never>,
    target: Repository,
    at: Position,
    established: () => void,
  ): Promise<void> => {
    const writer = createRangeWriter({ ...o, repository: target, at, storageDir })
    let pending: Buffer[] = []
    let pendingBytes = 0
    let flushing: Promise<void> | null = null
    let lastFlushAt = 0
    let timer: NodeJS.Timeout | null = null
    let fail: (error: unknown) => void = () => {}
    const failed = new Promise<never>((_, reject) => {
      fail = reject
    })
    failed.catch(() => {})

    const flush = async (): Promise<void> => {
      const bytes = Buffer.concat(pending, pendingBytes)
      pending = []
      pendingBytes = 0
      socketOf(current).resume()
      await requireUnchanged(target)
      const versions = [...files]
      if (compareSince !== null) {
        await storeFilesSince(target, storageDir, compareSince, writer.storeOptions)
        compareSince = null
      }
      for (const version of versions) {
        await storeWithFolder(target, storageDir, version, writer.storeOptions)
        files.delete(version)
      }
      if (bytes.length > 0) await writer.write(bytes)
      await writer.removeRetained()
      await writeState(null)
    }
    const schedule = (): void => {
      if (timer !== null || flushing !== null || pendingBytes === 0) return
      const delayMs = isClosing ? 0 : Math.max(minDelayMs, lastFlushAt + intervalMs - Date.now())
      timer = setTimeout(
        () => {
          timer = null
          lastFlushAt = Date.now()
          flushing = flush()
          flushing.then(
            () => {
              flushing = null
              schedule()
            },
            (error: unknown) => fail(error),
          )
        },
        pendingBytes >= maxPendingBytes ? 0 : delayMs,
      )
    }
    startFlush = () => {
      if (timer !== null) clearTimeout(timer)
      timer = null
      schedule()
    }

    const stop = readCopyStream(current, {
      onStart() {
        established()
        lastFailure = null
        void writeState(null)
      },
      onData(data) {
        pending.push(Buffer.from(data))
        pendingBytes += data.length
        received += BigInt(data.length)
        if (pendingBytes >= maxPendingBytes) {
          socketOf(current).pause()
          startFlush()
        } else schedule()
      },
      onKeepalive() {},
      // Later log stays on the disk of the database until its whole segment is archived.
      confirmed: () => segmentStart(at.archived),
    })
    try {
      const copying = current.query(
        `START_REPLICATION SLOT ${slot} PHYSICAL ${renderLsn(at.archived)} TIMELINE ${at.timeline}`,
      )
      copying.catch(() => {})
      await Promise.race([copying, lost, failed])
    } finally {
      stop()
      if (timer !== null) clearTimeout(timer)
      await (flushing as Promise<void> | null)?.catch(() => {})
    }
  }

  const running = runWithReconnect({
    attempt,
    maxDelayMs: maxRetryMs,
    onInterrupted(reason) {
      if (isClosing) return
      if (reason !== lastFailure) o.log.warn('backup.log_interrupted', { reason })
      lastFailure = reason
      void writeState(reason)
    },
  })

  return {
    addFile(version) {
      if (files.size < maxPendingFiles) files.add(version)
      else compareSince ??= Date.now() - overlapMs
    },
    async needsBackup() {
      if (repository === null || position === null) return false
      const { log, timeline, archived } = position
      const { backups } = await listBackups(repository.dir)
      const last = backups.findLast((one) => one.log === log && one.timeline === timeline)
      if (last === undefined) return true
      const selected = selectWalOf(last, await listWal(repository.dir, log))
      const isContinuous = (selected.at(-1)?.end ?? 0n) >= archived
      if (isContinuous) gapSince = null
      return !isContinuous
    },
    async close() {
      isClosing = true
      await archiveRest()
      const closing = running.close()
      if (client) destroySocket(client)
      await closing
    },
  }

  /** Waits, up to a limit, until everything that PostgreSQL has written is archived. */
  async function archiveRest(): Promise<void> {
    if (position === null || lastFailure !== null) return
    const current = new Client(o.database)
    current.on('error', () => {})
    try {
      await current.connect()
      const { rows } = await current.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
      const end = parseLsn(rows[0]!.lsn)
      const until = Date.now() + closeTimeoutMs
      while (position.archived < end && Date.now() < until) {
        startFlush()
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    } catch {
      // The database has ended already. The slot retains the rest.
    } finally {
      await current.end().catch(() => {})
    }
  }
}

/** Throws BackupError where the repository has another key or writer by now. The next attempt uses them, or is refused. */
async function requireUnchanged({ dir, info }: Repository): Promise<void> {
  const current = (await openRepository(dir)).info
  if (current.publicKey !== info.publicKey || current.writer !== info.writer)
    throw new BackupError(`The key or the writer of the backups in ${dir} has changed.`)
}

/** Drops the slot of an archive that was turned off, for which PostgreSQL would retain the log. */
export async function dropArchiveSlot(database: ClientConfig): Promise<void> {
  const client = new Client(database)
  client.on('error', () => {})
  await client.connect()
  try {
    await dropInactiveSlot(client, slot)
  } finally {
    await client.end()
  }
}

/** Creates the folders, and removes incomplete files of a killed server. */
async function clearFolders({ dir }: Repository, log: string, timeline: number): Promise<void> {
  await createFolder(paths.incomingOfServer(dir))
  await createFolder(paths.timeline(dir, log, timeline))
  for (const name of await readdir(paths.incomingOfServer(dir)))
    await rm(join(paths.incomingOfServer(dir), name), { force: true })
}

interface RangeWriter {
  storeOptions: { folder: string; onWrite: (bytes: number) => Promise<void> }
  /** Adds the bytes that follow the archived position, and advances it. */
  write(bytes: Buffer): Promise<void>
  /** Removes deleted files that the repository has, unless a backup needs them. */
  removeRetained(): Promise<void>
}

function createRangeWriter({
  repository,
  at,
  storageDir,
  dataDir,
  reserveBytes,
}: Pick<WalArchiverOptions, 'dataDir' | 'reserveBytes'> & {
  repository: Repository
  at: Position
  storageDir: string
}): RangeWriter {
  const { dir } = repository
  const folder = paths.timeline(dir, at.log, at.timeline)
  const space = createFreeSpace(dir, reserveBytes)
  const storeOptions = {
    folder: paths.incomingOfServer(dir),
    onWrite: (bytes: number): Promise<void> => space.require(bytes),
  }
  /** The small ranges since the last compressed one. */
  let small: WalChunk[] = []

  const writeRange = async (
    source: AsyncIterable<Buffer>,
    range: Pick<WalChunk, 'start' | 'end' | 'compressed'>,
  ): Promise<WalChunk> => {
    const chunk = { ...range, timeline: at.timeline, writtenAt: Date.now() }
    const incoming = await writeStored(repository, source, { ...storeOptions, compress: range.compressed })
    if (BigInt(incoming.plainBytes) !== range.end - range.start) {
      await incoming.remove()
      throw new Error('a range of the log has another length than expected')
    }
    // A compressed range repeats bytes whose position was recorded.
    if (!range.compressed) await recordPosition(dataDir, { ...at, position: range.end })
    await incoming.publish(join(folder, renderWalChunk(chunk)))
    await syncFolder(folder)
    return chunk
  }

  /** Replaces small ranges by one range from the start of their segment, read from PostgreSQL's folder. */
  const compress = async (start: bigint, end: bigint): Promise<void> => {
    const path = join(dataDir, 'postgres', 'pg_wal', segmentName(at.timeline, start))
    const source = createReadStream(path, { end: Number(end - start) - 1 }) as AsyncIterable<Buffer>
    try {
      await writeRange(source, { start, end, compressed: true })
    } catch (error) {
      // The small ranges stay, and contain the same bytes.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    const chunks = await listWal(dir, at.log)
    for (const chunk of chunks) {
      const isReplaced = chunk.timeline === at.timeline && chunk.start >= start && chunk.end <= end
      const isResult = chunk.start === start && chunk.end === end && chunk.compressed
      if (isReplaced && !isResult) await rm(join(folder, renderWalChunk(chunk)), { force: true })
    }
  }

  return {
    storeOptions,
    async write(bytes) {
      for (let offset = 0; offset < bytes.length;) {
        const start = at.archived
        const room = Number(segmentStart(start) + segmentBytes - start)
        const part = bytes.subarray(offset, offset + room)
        const end = start + BigInt(part.length)
        small.push(await writeRange(inOnePiece(part), { start, end, compressed: false }))
        offset += part.length
        const isSegmentComplete = end % segmentBytes === 0n
        if (isSegmentComplete || small.length >= maxSmallRanges) {
          await compress(segmentStart(start), end)
          small = []
        }
        at.archived = end
      }
    },
    async removeRetained() {
      const versions = await listRemoved(storageDir)
      if (versions.length === 0 || isBackupRunning(dataDir)) return
      let shard = ''
      let present = new Map<string, string>()
      for (const version of versions.slice(0, 1_000)) {
        if (version.slice(0, 2) !== shard) {
          shard = version.slice(0, 2)
          present = await readShard(dir, shard)
        }
        if (!present.has(version)) await storeWithFolder(repository, storageDir, version, storeOptions)
        await removeRetained(storageDir, version)
      }
    },
  }
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
