import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { ClientConfig } from 'pg'
import { loadConfig } from '../../backend/config/loadConfig.ts'
import { createLogger } from '../../backend/logging/logger.ts'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import { createStorageService } from '../../backend/storage/createStorageService.ts'
import type { Claims, ServiceEnv } from '../../wire/claims.ts'
import { hearStatements, type Flight } from './hearStatements.ts'
import { bucket } from './storageProject.ts'

/** What one upload and one download send to the database, told by the service itself. */
export interface CapturedObject {
  upload: Flight[]
  download: Flight[]
  /** The name that they were told with, for another to be put in its place. */
  name: string
}

/** Sends both through the service in this process, on `config`'s database, and listens to its connection. */
export async function captureObject(
  config: ClientConfig,
  o: { supabaseDir: string; claims: Claims; headers: Record<string, string>; body: string },
): Promise<CapturedObject> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-heard-'))
  const pool = createPool(config, { max: 1, name: 'bench' })
  const service = await createStorageService({
    pool,
    dir,
    secret: randomUUID(),
    verifyToken: async () => ({ ok: true, caller }),
    config: loadConfig(o.supabaseDir),
    log: createLogger({ format: 'json', minLevel: 'error', write: (line) => process.stderr.write(line) }),
  })
  const caller = { role: 'authenticated', claims: o.claims, claimsJson: JSON.stringify(o.claims) }
  const gateway = new Hono<ServiceEnv>()
  gateway.use(async (c, next) => {
    c.set('apiCaller', caller)
    c.set('bearer', null)
    c.set('requestId', randomUUID())
    await next()
  })
  gateway.route('/storage/v1', service.app)
  const server = createServer(
    (incoming, outgoing) => void getRequestListener(gateway.fetch)(incoming, outgoing),
  )
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const name = `heard-${randomUUID()}`
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/storage/v1/object/${bucket}/`
  const put = (to: string): Promise<void> =>
    ask(url + to, { method: 'POST', headers: o.headers, body: o.body })
  try {
    // Once before, since the first of all statements has more to ask.
    await put(`${name}-first`)
    return {
      upload: await hearStatements(() => put(name)),
      download: await hearStatements(() => ask(url + name, { headers: o.headers })),
      name,
    }
  } finally {
    server.close().closeAllConnections()
    await service.close()
    await pool.end()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function ask(url: string, init: RequestInit): Promise<void> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}
