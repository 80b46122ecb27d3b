import { join } from 'node:path'
import { copyTemplate } from '../../backend/postgres/server/copyTemplate.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { closeEarlierPages } from './support.ts'

const root = join(import.meta.dirname, '../..')

export interface Demo {
  server: Server
  /** Stops the server and deletes its data. */
  end(): Promise<void>
}

/** A server with its own copy of the demo's workspace, which is created once for each run. */
export async function startDemo(...more: string[]): Promise<Demo> {
  const serverEnded = await closeEarlierPages()
  const data = temporaryData()
  const start = (dataDir: string, args: string[] = []): Promise<Server> =>
    startServer({ root, dataDir, args: ['--demo', ...args] })
  await copyTemplate('demo', data.dir, async (folder) => {
    await (await start(folder)).end('SIGTERM')
  })
  const server = await start(data.dir, more)
  return {
    server,
    async end() {
      await server.end('SIGTERM')
      serverEnded()
      data.remove()
    },
  }
}
