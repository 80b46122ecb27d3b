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
import { createThumbnails } from '../../backend/optional/thumbnails/createThumbnails.ts'
import type { Claims, ServiceEnv } from '../../wire/claims.ts'
import { captureStatements, type Pipeline } from './captureStatements.ts'
import { bucket } from './storageProject.ts'

/** The statements that one upload and one download send to the database, captured from the service. */
export interface CapturedObject {
  upload: Pipeline[]
  download: Pipeline[]
  /** The object name in the captured statements, which is replaced in each run. */
  name: string
}

/** Sends both requests to a service in this process, on `config`'s database, and captures their statements. */
export async function captureObject(
  config: ClientConfig,
  o: { supabaseDir: string; claims: Claims; headers: Record<string, string>; body: string },
): Promise<CapturedObject> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-capture-'))
  const pool = createPool(config, { max: 1, name: 'bench' })
  const service = await createStorageService({
    pool,
    dir,
    secret: randomUUID(),
    verifyToken: async () => ({ ok: true, caller }),
    config: loadConfig(o.supabaseDir),
    createThumbnails,
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
  const name = `capture-${randomUUID()}`
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/storage/v1/object/${bucket}/`
  const put = (to: string): Promise<void> =>
    sendRequest(url + to, { method: 'POST', headers: o.headers, body: o.body })
  try {
    // A warm-up, since the first request sends further statements.
    await put(`${name}-first`)
    return {
      upload: await captureStatements(() => put(name)),
      download: await captureStatements(() => sendRequest(url + name, { headers: o.headers })),
      name,
    }
  } finally {
    server.close().closeAllConnections()
    await service.close()
    await pool.end()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function sendRequest(url: string, init: RequestInit): Promise<void> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}
