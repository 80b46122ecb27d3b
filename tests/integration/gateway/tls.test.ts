import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions } from 'node:tls'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { readMetrics } from '../../../backend/cli/readMetrics.ts'
import { createGateway } from '../../../backend/gateway/createGateway.ts'

/** A certificate for localhost that signs itself; null where there is no openssl to make it. */
function makeCertificate(): { cert: string; key: string } | null {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-tls-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const make = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'
  try {
    execFileSync('/usr/bin/openssl', [...make.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } catch {
    return null
  } finally {
    rmSync(dir, { recursive: true })
  }
}

test('the port serves https with a certificate', async (context) => {
  const tls = makeCertificate()
  if (tls === null) return context.skip('making a certificate needs openssl')
  const app = new Hono().get('/x', (c) => c.json(new URL(c.req.url).protocol))
  const gateway = createGateway({
    rest: { app },
    auth: { app },
    storage: { app },
    realtime: { app, handleUpgrade: (_incoming, socket) => socket.destroy() },
    mailbox: null,
    metrics: { render: async () => 'linnet_database_up 1\n', token: null },
    keys: {
      anonKey: 'h.e30.a',
      serviceRoleKey: 'h.e30.b',
      publishableKey: 'sb_publishable_a',
      secretKey: 'sb_secret_a',
    },
    appDir: null,
    appConfig: {},
    publicUrl: null,
    tls,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const { url } = await gateway.listen('127.0.0.1', 0)
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  const response = await new Promise<string>((resolve, reject) => {
    const options = { headers: { apikey: 'sb_publishable_a' }, ca: tls.cert, servername: 'localhost' }
    get(`${url}/rest/v1/x`, { ...options, checkServerIdentity: () => undefined }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve(text)
    }).on('error', reject)
  })
  expect(response).toBe('"https:"')
  // `linnet status` reads them by the loopback address, which the certificate does not name.
  expect(await readMetrics(`${url}/metrics`)).toEqual(new Map([['linnet_database_up', 1]]))

  const meet = (o: ConnectionOptions): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({
        port: Number(new URL(url).port),
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ...o,
      })
      socket.once('secureConnect', () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.destroy()
      })
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  const before = await meet({})
  expect(before).toBe(new X509Certificate(tls.cert).fingerprint256)
  // Old versions are refused even by a client that still takes their weak ciphers.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  expect(await meet(old)).toMatch(/ALERT_PROTOCOL_VERSION/)
  expect(await meet({ maxVersion: 'TLSv1.2' })).toBe(before)

  const next = makeCertificate()!
  gateway.renewCertificate(next)
  expect(await meet({})).toBe(new X509Certificate(next.cert).fingerprint256)
  expect(() => gateway.renewCertificate({ ...next, key: tls.key })).toThrow(/key values mismatch/)
  expect(() => gateway.renewCertificate({ cert: 'no', key: 'no' })).toThrow(Error)
  expect(await meet({ maxVersion: 'TLSv1.2' })).toBe(new X509Certificate(next.cert).fingerprint256)
  await gateway.close()
})
