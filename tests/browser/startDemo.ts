import { expect } from '@playwright/test'
import { join } from 'node:path'
import { Client } from 'pg'
import { copyTemplate } from '../../backend/postgres/server/copyTemplate.ts'
import { startServer, temporaryData, type Server } from '../support/server.ts'
import { closeEarlierPages, type Demo } from './support.ts'

const root = join(import.meta.dirname, '../..')

/** Waits until the functions that process new files have ended: each copy of the data would start them again. */
async function waitForFiles({ dbUrl }: Server): Promise<void> {
  const db = new Client(dbUrl)
  await db.connect()
  try {
    await expect
      .poll(
        async () => {
          const { rows } = await db.query(
            `select from public.jobs where kind in ('index_file', 'remove_metadata') and failed_at is null`,
          )
          return rows.length
        },
        { timeout: 240_000 },
      )
      .toBe(0)
  } finally {
    await db.end()
  }
}

/**
 * A server with its own copy of the whole demo, which is created once for each run: for journeys that change what belongs to
 * the server, or that need long conversations.
 */
export async function startDemo(...more: string[]): Promise<Demo> {
  const serverEnded = await closeEarlierPages()
  const data = temporaryData()
  const start = (dataDir: string, args: string[] = []): Promise<Server> =>
    startServer({ root, dataDir, args: ['--demo', ...args] })
  await copyTemplate('demo', data.dir, async (folder) => {
    const server = await start(folder, ['--db-port', '0'])
    try {
      await waitForFiles(server)
    } finally {
      await server.end('SIGTERM')
    }
  })
  const server = await start(data.dir, more)
  return {
    server,
    domain: 'harbour.example',
    async end() {
      await server.end('SIGTERM')
      serverEnded()
      data.remove()
    },
  }
}
