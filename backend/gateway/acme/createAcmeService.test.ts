import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAcmeAuthority, type AcmeAuthority } from '../../../tests/support/createAcmeAuthority.ts'
import { createLogger } from '../../logging/logger.ts'
import { acmeCertificateFiles, isPlaceholder, readAcmeCertificate, readAcmeState } from './acmeFiles.ts'
import { AcmeError } from './AcmeError.ts'
import { createAcmeService, prepareCertificate, type AcmeService } from './createAcmeService.ts'
import { renewalIdentifier } from './certificateRequest.ts'

const minute = 60_000
const day = 86_400_000
let dataDir = ''
let clock = 0
let lines: string[] = []
let authority: AcmeAuthority
let tokens: Map<string, string>
let services: AcmeService[] = []
let renewals = 0
const log = createLogger({ format: 'text', minLevel: 'info', write: (line) => lines.push(line) })

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'linnet-acme-'))
  clock = Date.parse('2026-12-01T00:00:00Z')
  lines = []
  renewals = 0
  tokens = new Map()
  authority = await createAcmeAuthority({
    now: () => clock,
    lifetimeMs: 90 * day,
    fetchChallenge: (token) => tokens.get(token) ?? null,
  })
})
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
  rmSync(dataDir, { recursive: true })
})

function create(
  o: Partial<Parameters<typeof createAcmeService>[0]> & { directory?: string } = {},
): AcmeService {
  const service = createAcmeService({
    settings: {
      host: 'chat.example.org',
      publicUrl: 'https://chat.example.org',
      directory: o.directory ?? authority.directory,
      contact: 'admin@example.org',
      httpPort: 80,
    },
    dataDir,
    publish(token, content) {
      tokens.set(token, content)
      return () => void tokens.delete(token)
    },
    isPaused: () => false,
    onCertificate: () => renewals++,
    log,
    send: authority.send,
    now: () => clock,
    ...o,
  })
  services.push(service)
  return service
}
const days = (time: number): number => (time - clock) / day
const ordersOf = (): number => authority.orders.length

it('the server starts with a temporary certificate, and replaces it by one of the authority', async () => {
  await prepareCertificate(dataDir, 'chat.example.org', clock)
  expect(isPlaceholder(readAcmeCertificate(dataDir)!)).toBe(true)
  expect(days(await create().check())).toBe(60)
  const { certFile } = acmeCertificateFiles(dataDir)
  const pem = readFileSync(certFile, 'utf8')
  const certificate = new X509Certificate(pem)
  expect(certificate.issuer).toBe('CN=Authority of tests')
  expect(certificate.checkPrivateKey(createPrivateKey(pem))).toBe(true)
  expect(renewals).toBe(1)
  expect(tokens.size).toBe(0)
  expect(lines.join('\n')).not.toMatch(/PRIVATE|"d"/)
  const modeOf = (name: string): number => statSync(join(dataDir, 'tls', name)).mode & 0o777
  expect(readdirSync(join(dataDir, 'tls')).map((name) => [name, modeOf(name)])).toEqual([
    ['account.json', 0o600],
    ['certificate.pem', 0o600],
    ['state.json', 0o600],
  ])
  expect(statSync(join(dataDir, 'tls')).mode & 0o777).toBe(0o700)
  // A certificate that is in use stays.
  await prepareCertificate(dataDir, 'chat.example.org', clock)
  expect(readFileSync(certFile, 'utf8')).toBe(pem)
})

it('a certificate is renewed with another key and the same account once it is due', async () => {
  const service = create()
  await service.check()
  const first = readAcmeCertificate(dataDir)!
  clock += 60 * day - 1
  await service.check()
  expect(ordersOf()).toBe(1)
  clock += 1
  expect(days(await create().check())).toBe(60)
  expect(ordersOf()).toBe(2)
  const second = readAcmeCertificate(dataDir)!
  expect(second.publicKey.equals(first.publicKey)).toBe(false)
  expect(authority.requests.filter((request) => request === 'POST /account')).toHaveLength(1)
})

it('a failed validation leaves the certificate in use, and the next attempts follow with growing delays', async () => {
  const service = create({ publish: () => () => {} })
  await prepareCertificate(dataDir, 'chat.example.org', clock)
  const placeholder = readAcmeCertificate(dataDir)!.fingerprint256
  expect((await service.check()) - clock).toBe(15 * minute)
  expect(readAcmeState(dataDir)).toMatchObject({
    failures: 1,
    failure: {
      problem: 'validation',
      reason: expect.stringContaining('chat.example.org refused the connection'),
    },
  })
  expect(lines.join('\n')).toMatch(/WARN.*gateway\.certificate_request_failed.*refused the connection/i)
  await service.check()
  expect(ordersOf()).toBe(1)
  clock += 15 * minute
  expect((await service.check()) - clock).toBe(30 * minute)
  expect(ordersOf()).toBe(2)
  expect(readAcmeCertificate(dataDir)!.fingerprint256).toBe(placeholder)
  // The mistake is corrected, and the server restarted.
  clock += 15 * minute
  expect(days(await create().check())).toBe(60)
  expect(readAcmeState(dataDir)).toMatchObject({ failures: 0, failure: null, retryAt: null })
})

it('a server that restarts in a loop makes no more attempts than one that runs', async () => {
  for (let restarts = 0; restarts < 60; restarts++) {
    await create({ publish: () => () => {} }).check()
    clock += minute
  }
  expect(ordersOf()).toBe(4)
})

it('the delay that the authority requires is respected, also after a restart', async () => {
  authority.refusals.push({ type: 'rateLimited', detail: 'too many certificates', retryAfter: '86400' })
  expect(days(await create().check())).toBe(1)
  expect(readAcmeState(dataDir)?.failure?.problem).toBe('rate_limited')
  clock += day - 1
  await create().check()
  expect(ordersOf()).toBe(1)
  clock += 1
  await create().check()
  expect(renewals).toBe(1)
})

it('an authority that cannot be reached is a failure of its own kind', async () => {
  const service = create({
    send: async () => {
      throw new AcmeError('unreachable', 'The certificate authority cannot be reached: getaddrinfo ENOTFOUND')
    },
  })
  await service.check()
  expect(readAcmeState(dataDir)?.failure).toMatchObject({ problem: 'unreachable' })
})

it('an expired nonce and an account that the authority has removed need no second attempt', async () => {
  const service = create()
  await service.check()
  authority.forgetAccounts()
  authority.expireNonce()
  clock += 61 * day
  expect(days(await service.check())).toBe(60)
  expect(renewals).toBe(2)
})

it('the authority can suggest an earlier renewal, which replaces the certificate', async () => {
  const service = create()
  await service.check()
  const identifier = renewalIdentifier(readAcmeCertificate(dataDir)!.toString())
  authority.suggestedWindow = {
    start: new Date(clock + 3 * day).toISOString(),
    end: new Date(clock + 4 * day).toISOString(),
  }
  clock += day
  const next = days(await service.check())
  expect(next).toBeGreaterThanOrEqual(2)
  expect(next).toBeLessThanOrEqual(3)
  // The time stays the same while the authority suggests the same window.
  clock += day
  expect(days(await service.check())).toBeCloseTo(next - 1)
  expect(authority.requests.filter((request) => request === 'GET /renewal')).toHaveLength(2)
  clock += 2 * day
  authority.suggestedWindow = { ...authority.suggestedWindow }
  await service.check()
  expect(authority.orders[1]).toMatchObject({ replaces: identifier })
})

it('a restored copy requests no certificate until its restore is confirmed', async () => {
  let isPaused = true
  const service = create({ isPaused: () => isPaused })
  expect((await service.check()) - clock).toBe(minute)
  expect(authority.requests).toEqual([])
  isPaused = false
  await service.check()
  expect(renewals).toBe(1)
})

it('another authority issues a new certificate with another account, such as production after staging', async () => {
  await create().check()
  const account = readFileSync(join(dataDir, 'tls/account.json'), 'utf8')
  const directory = `${authority.directory}?production`
  const send: typeof authority.send = (request) =>
    authority.send({ ...request, url: request.url.replace('?production', '') })
  await create({ directory, send }).check()
  expect(renewals).toBe(2)
  const { directory: stored, key } = JSON.parse(readFileSync(join(dataDir, 'tls/account.json'), 'utf8'))
  expect(stored).toBe(directory)
  expect(key).not.toEqual(JSON.parse(account).key)
})

it('a valid certificate is kept if the stored state is lost or damaged', async () => {
  await create().check()
  writeFileSync(join(dataDir, 'tls/state.json'), '{')
  expect(days(await create().check())).toBe(60)
  expect(ordersOf()).toBe(1)
})

it('a damaged certificate does not keep the server from starting', async () => {
  await create().check()
  const { certFile } = acmeCertificateFiles(dataDir)
  const pem = readFileSync(certFile, 'utf8')
  writeFileSync(certFile, pem.slice(0, pem.indexOf('-----BEGIN PRIVATE KEY')))
  await prepareCertificate(dataDir, 'chat.example.org', clock)
  expect(isPlaceholder(readAcmeCertificate(dataDir)!)).toBe(true)
  await create().check()
  expect(renewals).toBe(2)
})

it('a server that stops during an attempt counts no failure', async () => {
  const service: AcmeService = create({
    send: (request) =>
      new Promise((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(new AcmeError('unreachable', 'aborted')))
        void service.close()
      }),
  })
  expect(await service.check()).toBe(Infinity)
  expect(readAcmeState(dataDir)).toBeNull()
})
