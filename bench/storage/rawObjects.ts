import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import { runPipeline } from '../../backend/postgres/connections/runPipeline.ts'
import { Latencies, type Load } from '../rest/Latencies.ts'
import type { Pipeline } from './captureStatements.ts'

export interface RawObjectsTask {
  kind: 'raw objects'
  operation: 'upload' | 'download'
  dbUrl: string
  concurrency: number
  ms: number
  pipelines: Pipeline[]
  /** The object name in the statements, which uploads replace by a new one. */
  name: string
  body: string
  /** The folder of the files, written with one fsync for the file and one for the folder; null for no files. */
  dir: string | null
}

/** As many connections as the service's pool. */
const CONNECTIONS = 16

/** Executes the statements of the service by pg in this process, optionally with minimal file operations. */
export async function rawObjects(o: RawObjectsTask): Promise<Load> {
  const config = { connectionString: o.dbUrl, pipeline: true } as ClientConfig
  const clients = Array.from({ length: Math.min(CONNECTIONS, o.concurrency) }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  const files = o.dir === null ? null : await openFiles(o.dir, o.body)
  const once = async (client: Client): Promise<void> => {
    if (o.operation === 'download') {
      await replay(client, o.pipelines, null)
      await files?.read()
      return
    }
    await files?.write()
    await replay(client, o.pipelines, { name: o.name, next: randomUUID() })
  }
  for (let i = 0; i < 10; i++) await Promise.all(clients.map(once))
  const latencies = new Latencies()
  const until = performance.now() + o.ms
  const worker = async (client: Client): Promise<void> => {
    for (let now = performance.now(); now < until;) {
      const begun = now
      await once(client)
      now = performance.now()
      latencies.add(now - begun)
    }
  }
  const load = await latencies.during(() => Promise.all(clients.map(worker)))
  await Promise.all(clients.map((client) => client.end()))
  await files?.remove()
  return load
}

async function replay(
  client: Client,
  pipelines: Pipeline[],
  renamed: { name: string; next: string } | null,
): Promise<void> {
  const valueOf = (value: unknown): unknown =>
    renamed && typeof value === 'string' ? value.replace(renamed.name, renamed.next) : value
  for (const batch of pipelines) {
    await Promise.all(
      batch.map(({ isPipelined, statements }) => {
        const queries = statements.map((statement) => ({
          ...statement,
          ...(statement.values && { values: statement.values.map(valueOf) }),
        }))
        return isPipelined ? runPipeline(client, queries) : client.query(queries[0]!)
      }),
    )
  }
}

async function openFiles(
  dir: string,
  body: string,
): Promise<{ write(): Promise<void>; read(): Promise<void>; remove(): Promise<void> }> {
  const place = join(dir, randomUUID())
  await mkdir(place)
  const bytes = Buffer.from(body, 'latin1')
  const kept = join(place, 'kept')
  const folder = await open(place, 'r')
  const write = async (path: string): Promise<void> => {
    const file = await open(`${path}.new`, 'wx')
    await file.write(bytes)
    await file.sync()
    await file.close()
    await rename(`${path}.new`, path)
    await folder.sync()
  }
  await write(kept)
  return {
    write: () => write(join(place, randomUUID())),
    read: async () => void (await readFile(kept)),
    async remove() {
      await folder.close()
      await rm(place, { recursive: true })
    },
  }
}
