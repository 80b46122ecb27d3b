import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig, type QueryResult } from 'pg'
import { backendProcess } from '../../postgres/connections/backendProcess.ts'
import { destroySocket, socketOf } from '../../postgres/connections/copyStream.ts'
import { connectionLost } from '../../postgres/connections/createNotificationListener.ts'
import { BackupError } from '../BackupError.ts'

/** The kinds of messages of BASE_BACKUP: a new archive, the manifest, data of one of them, progress. */
const kinds = { archive: 0x6e, manifest: 0x6d, data: 0x64 } as const
/** Received bytes that may wait for the consumer. */
const maxWaitingBytes = 1024 * 1024

export interface BaseBackup {
  systemIdentifier: string
  timeline: number
  /** The tar archive of the data folder, which contains the log that makes it consistent. */
  readData(): AsyncGenerator<Buffer>
  /** `backup_manifest`. To be read after the data. */
  readManifest(): AsyncGenerator<Buffer>
  /** Resolves after both, with the positions of the log between which the archive was copied. */
  finish(): Promise<{ timeline: number; startLsn: string; endLsn: string }>
  close(): void
}

interface CopyConnection {
  on(event: 'copyData', listener: (message: { chunk: Buffer }) => void): void
}

/**
 * Copies PostgreSQL's data folder over the replication protocol while the database is in use. A temporary slot retains
 * the log that the copy needs until it is complete. Source: "BASE_BACKUP" in PostgreSQL's manual.
 * @param config of a role with REPLICATION
 */
export async function openBaseBackup(config: ClientConfig): Promise<BaseBackup> {
  const client = new Client({ ...config, replication: 'true' } as ClientConfig)
  const lost = connectionLost(client)
  await client.connect()
  try {
    // The server's walsender reads and sends all files.
    backendProcess.lowerPriority((client as unknown as { processID: number }).processID)
    const { rows } = await client.query<{ systemid: string; timeline: string }>('IDENTIFY_SYSTEM')
    const slot = `linnet_base_${randomBytes(4).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`)
    const { systemid: systemIdentifier, timeline } = rows[0]!
    return { systemIdentifier, timeline: Number(timeline), ...copy(client, lost) }
  } catch (error) {
    destroySocket(client)
    throw error
  }
}

function copy(client: Client, lost: Promise<never>): Omit<BaseBackup, 'systemIdentifier' | 'timeline'> {
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let wake = (): void => {}
  const complete = new AbortController()
  const { connection } = client as unknown as { connection: CopyConnection }
  connection.on('copyData', ({ chunk }) => {
    // Copied: the parser reuses its buffer.
    waiting.push(Buffer.from(chunk))
    waitingBytes += chunk.length
    if (waitingBytes > maxWaitingBytes) socketOf(client).pause()
    wake()
  })
  const copying = client.query(
    `BASE_BACKUP (LABEL 'linnet', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'CRC32C')`,
  ) as unknown as Promise<QueryResult<Record<string, string>>[]>
  const ended = Promise.race([copying, lost]).finally(() => {
    complete.abort()
    wake()
  })
  ended.catch(() => {})

  const next = async (): Promise<Buffer | null> => {
    while (waiting.length === 0 && !complete.signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const message = waiting.shift()
    if (message === undefined) {
      await ended
      return null
    }
    waitingBytes -= message.length
    if (waitingBytes <= maxWaitingBytes / 2) socketOf(client).resume()
    return message
  }
  /** The data up to the next message of another kind, which is read too. */
  let following: Buffer | null = null
  async function* readUntilNext(): AsyncGenerator<Buffer> {
    for (;;) {
      following = await next()
      if (following === null || following[0] === kinds.archive || following[0] === kinds.manifest) return
      if (following[0] === kinds.data) yield following.subarray(1)
    }
  }

  return {
    async *readData() {
      for await (const _ of readUntilNext()) throw new Error('data precede the first archive')
      yield* readUntilNext()
      if ((following as Buffer | null)?.[0] === kinds.archive)
        throw new BackupError(
          'The database has a tablespace outside of its data folder, which cannot be backed up. ' +
            'Move its tables to the default tablespace first.',
        )
    },
    readManifest: readUntilNext,
    async finish() {
      const results = await explainErrors(ended)
      const [start, end] = results.filter(({ rows }) => rows[0]?.recptr !== undefined)
      return {
        timeline: Number(end!.rows[0]!.tli),
        startLsn: start!.rows[0]!.recptr!,
        endLsn: end!.rows[0]!.recptr!,
      }
    },
    close: () => destroySocket(client),
  }
}

/** PostgreSQL verifies the checksum of each page, and reports at the end that some are wrong. */
async function explainErrors<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (!/checksum/.test((error as Error).message)) throw error
    throw new BackupError(
      'Files of the database are damaged: PostgreSQL found pages with a wrong checksum. ' +
        'The previous backups are kept. Check the disk, and restore the last backup.',
      { cause: error },
    )
  }
}
