import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLogger } from '../../../backend/logging/logger.ts'
import { startLinnet, type Linnet } from '../../../backend/main.ts'
import { writeRestoreMarker } from '../../../backend/restore/marker.ts'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import { startSmtp, type SmtpServer } from '../../support/startSmtp.ts'

let smtp: SmtpServer
let dataDir: string
let linnet: Linnet
let client: Client
const received: string[] = []
const sink = createServer((request, response) => {
  received.push(request.url!)
  response.end('ok')
})
const sinkPort = (): number => (sink.address() as AddressInfo).port

beforeAll(async () => {
  smtp = await startSmtp()
  await new Promise<void>((resolve) => {
    sink.listen(0, '127.0.0.1', resolve)
  })
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  await fillLinnetData(dataDir)
  writeFileSync(
    join(dataDir, 'linnet.toml'),
    `[auth.email.smtp]
host = "127.0.0.1"
port = ${smtp.port}
admin_email = "chat@example.com"
[pg_net]
allowed = ["127.0.0.1:${sinkPort()}"]
`,
  )
  writeRestoreMarker(dataDir, {
    id: randomUUID(),
    restoredAt: new Date().toISOString(),
    recoveredTo: '2026-11-29T10:00:00.000Z',
    backup: '2026-11-29T03-00-00Z',
  })
  linnet = await startLinnet({
    dataDir,
    supabaseDir: join(import.meta.dirname, '../../../supabase'),
    seed: false,
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    tls: null,
    appDir: null,
    usePublicUrlAsSiteUrl: true,
    dbPort: null,
    log: createLogger({ format: 'text', minLevel: 'error', write: () => {} }),
  })
  client = new Client({ connectionString: linnet.running.dbUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await linnet.stop()
  await smtp.stop()
  sink.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** What follows a response cannot be awaited. */
const waitOptions = { interval: 20, timeout: 60_000 }

async function invite(email: string): Promise<void> {
  const { url, serviceRoleKey } = linnet.running
  const response = await fetch(`${url}/auth/v1/invite`, {
    method: 'POST',
    headers: {
      apikey: serviceRoleKey,
      authorization: `Bearer ${serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email }),
  })
  expect(response.status).toBe(200)
}

/** The result of a request that the database sends to another server. */
async function request(path: string): Promise<{ status_code: number | null; error_msg: string | null }> {
  const { rows } = await client.query<{ id: string }>('select net.http_get($1)::text as id', [
    `http://127.0.0.1:${sinkPort()}${path}`,
  ])
  return vi.waitFor(async () => {
    const results = await client.query<{ status_code: number | null; error_msg: string | null }>(
      'select status_code, error_msg from net._http_response where id = $1',
      [rows[0]!.id],
    )
    expect(results.rows).toHaveLength(1)
    return results.rows[0]!
  }, waitOptions)
}

it('a restored copy sends neither mails nor requests until an owner confirms the restore', async () => {
  await invite('bea@harbour.example')
  const mailbox = await fetch(`${linnet.running.mailbox!}/messages`)
  expect(await mailbox.json()).toMatchObject([{ to: 'bea@harbour.example' }])
  expect(await request('/before')).toMatchObject({
    status_code: null,
    error_msg: expect.stringContaining('linnet resume') as string,
  })
  expect(await (await fetch(linnet.running.dashboard)).text()).toContain('Restored from a backup')
  expect({ mails: smtp.connections(), requests: received }).toEqual({ mails: 0, requests: [] })

  // As the command of the app does.
  await client.query('select public.resume_outgoing()')
  await expect.poll(() => existsSync(join(dataDir, 'restored.json'))).toBe(false)
  await invite('cem@harbour.example')
  await smtp.waitForMails(1)
  expect(smtp.accepted.map(({ recipients }) => recipients)).toEqual([['RCPT TO:<cem@harbour.example>']])
  expect(await request('/after')).toMatchObject({ status_code: 200 })
  expect(received).toEqual(['/after'])
  expect(await (await fetch(linnet.running.dashboard)).text()).not.toContain('Restored from a backup')
})
