import { expect, it } from 'vitest'
import { checkStates, createFinding, isReminder, type CheckCode } from '../../wire/serverChecks.ts'
import { judgeAddress, type AddressFacts } from './checkAddress.ts'
import { judgeBackups } from './checkBackups.ts'
import { judgeAcme, judgeCertificate } from './checkCertificate.ts'
import { judgeClock } from './checkClock.ts'
import { judgeDisk } from './checkDisk.ts'
import { judgeDns } from './checkDns.ts'
import { judgeLeftovers } from './checkLeftovers.ts'
import { judgeMail } from './checkMail.ts'
import { judgePermissions, type PermissionFacts } from './checkPermissions.ts'
import { judgePort } from './checkPort.ts'
import { judgePostgresData, type PostgresDataFacts } from './checkPostgresData.ts'
import { judgeSecrets } from './checkSecrets.ts'
import { judgeSettings } from './checkSettings.ts'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'
import { describeFindings, renderFindings } from './renderFindings.ts'
import { runChecks } from './runChecks.ts'

const codes = (findings: readonly LocalFinding[]): CheckCode[] => findings.map(({ code }) => code)
const gibibyte = 1024 ** 3

it('a disk is low below 1 GiB, or below 5 % of a small disk', () => {
  const judge = (freeBytes: number, totalBytes: number): CheckCode[] =>
    codes(judgeDisk('/data', { freeBytes, totalBytes }))
  expect(judge(2 * gibibyte, 1000 * gibibyte)).toEqual(['disk.enough'])
  expect(judge(gibibyte - 1, 1000 * gibibyte)).toEqual(['disk.low'])
  expect(judge(gibibyte / 2, 4 * gibibyte)).toEqual(['disk.enough'])
  expect(judge(gibibyte / 8, 4 * gibibyte)).toEqual(['disk.low'])
  expect(codes(judgeDisk('/data', null))).toEqual(['disk.unknown'])
})

it('permissions name folders that cannot be written and files that others can read', () => {
  const facts: PermissionFacts = {
    dataDir: '/data',
    exists: true,
    serverUser: 'linnet',
    currentUser: 'linnet',
    inaccessible: [],
    readable: [],
    obstacle: null,
  }
  expect(codes(judgePermissions(facts))).toEqual(['permissions.correct'])
  expect(codes(judgePermissions({ ...facts, exists: false }))).toEqual(['permissions.no_installation'])
  const [denied, readable] = judgePermissions({
    ...facts,
    inaccessible: ['/data/storage'],
    readable: [{ path: '/data/secrets.json', mode: '600' }],
  })
  expect(denied).toMatchObject({ code: 'permissions.not_writable', details: ['/data/storage'] })
  expect(readable?.details).toEqual(['/data/secrets.json must have the mode 600.'])
  expect(codes(judgePermissions({ ...facts, obstacle: 'It belongs to root.' }))).toEqual([
    'permissions.not_writable',
  ])
})

it('the advice on files names the user of the server, whoever runs the check', () => {
  const advise = (serverUser: string, currentUser: string): Pick<LocalFinding, 'details' | 'commands'> => {
    const [{ details, commands } = {}] = judgePermissions({
      dataDir: '/data',
      exists: true,
      serverUser,
      currentUser,
      inaccessible: ['/data/storage'],
      readable: [],
      obstacle: null,
    })
    return { ...(details && { details }), ...(commands && { commands }) }
  }
  expect(advise('linnet', 'linnet').commands).toEqual(['sudo chown -R linnet /data/storage'])
  expect(advise('linnet', 'root').commands).toEqual(['chown -R linnet /data/storage'])
  expect(advise('root', 'bea').commands).toEqual(['sudo chown -R bea /data/storage'])
  expect(advise('linnet', 'bea')).toEqual({
    details: ['/data/storage', 'Linnet runs as linnet. Run this command as linnet or as root.'],
  })
})

it('files with keys are complete, damaged or missing', () => {
  const judge = (hasDatabase: boolean, ...states: ('valid' | 'damaged' | 'missing')[]): CheckCode[] =>
    codes(
      judgeSecrets({ hasDatabase, files: states.map((state) => ({ path: '/data/secrets.json', state })) }),
    )
  expect(judge(true, 'valid', 'valid')).toEqual(['secrets.complete'])
  expect(judge(true, 'valid', 'damaged')).toEqual(['secrets.damaged'])
  expect(judge(true, 'valid', 'missing')).toEqual(['secrets.missing'])
  expect(judge(false, 'missing', 'missing')).toEqual([])
})

it('data of PostgreSQL must be complete and of the included version', () => {
  const facts: PostgresDataFacts = {
    data: '/data/postgres',
    exists: true,
    version: 18,
    missing: [],
    programs: { major: 18 },
  }
  expect(codes(judgePostgresData(facts))).toEqual(['postgres.startable'])
  expect(codes(judgePostgresData({ ...facts, version: 17 }))).toEqual(['postgres.other_version'])
  expect(codes(judgePostgresData({ ...facts, missing: ['base'] }))).toEqual(['postgres.damaged'])
  expect(codes(judgePostgresData({ ...facts, exists: false }))).toEqual([])
  expect(codes(judgePostgresData({ ...facts, programs: { error: 'none' } }))).toEqual([
    'postgres.unavailable',
  ])
})

it('a port is free, taken by a named program, or not permitted', () => {
  const judge = (error: string | null, user: string | null = null): LocalFinding | undefined =>
    judgePort({ host: '127.0.0.1', port: 80, error, user })[0]
  expect(judge(null)?.code).toBe('port.free')
  expect(judge('EADDRINUSE', 'nginx (process 8)')).toMatchObject({
    code: 'port.taken',
    details: ['127.0.0.1:80 is in use by nginx (process 8).'],
  })
  expect(judge('EACCES')?.code).toBe('port.not_permitted')
  expect(judge('EADDRNOTAVAIL')?.code).toBe('port.no_address')
})

it('the error of a mail server decides the kind of problem', () => {
  const judge = (code: string, message = '', responseCode?: number): unknown =>
    judgeMail({ host: 'mail.example', port: 587, error: { code, message, responseCode } }, true)[0]!.values
  expect(judge('EAUTH', '535 no', 535)).toEqual({ problem: 'sign_in' })
  expect(judge('ESOCKET', 'self-signed certificate')).toEqual({ problem: 'certificate' })
  expect(judge('ETIMEDOUT')).toEqual({ problem: 'timeout' })
  expect(judge('ESOCKET', 'connect ECONNREFUSED')).toEqual({ problem: 'unreachable' })
  expect(judge('EPROTOCOL', '554 no', 554)).toEqual({ problem: 'refused' })
  expect(codes(judgeMail(null, true))).toEqual(['mail.no_server'])
  expect(codes(judgeMail(null, false))).toEqual(['mail.local_mailbox'])
})

it.each(['192.168.1.5:4280', '10.0.0.7', '[fd00::1]:4280', 'linnet.local:4280', 'server', 'chat.home.arpa'])(
  'http://%s is an address of a private network, for which no certificate by ACME is advised',
  (host) => {
    const url = `http://${host}`
    const [finding, ...others] = judgeAddress({ url, outcome: 'reached', reason: '', opensWebSocket: true })
    expect(others).toEqual([])
    const described = describeFindings([finding!], {})[0]!
    expect(described).toMatchObject({ code: 'address.private_network', state: 'notice' })
    expect(`${described.text} ${described.advice}`).not.toMatch(/acme/i)
    const https = { url: `https://${host}`, outcome: 'reached', reason: '', opensWebSocket: true } as const
    expect(codes(judgeAddress(https))).toEqual(['address.reached'])
  },
)

it('a public address leads to this server, to another one, or nowhere', () => {
  const facts: AddressFacts = {
    url: 'https://chat.example',
    outcome: 'reached',
    reason: '',
    opensWebSocket: true,
  }
  const judge = (change: Partial<AddressFacts>): CheckCode[] => codes(judgeAddress({ ...facts, ...change }))
  expect(judge({})).toEqual(['address.reached'])
  expect(judge({ opensWebSocket: false })).toEqual(['address.no_websocket'])
  expect(judge({ outcome: 'other_server' })).toEqual(['address.other_server'])
  expect(judge({ outcome: 'unreachable' })).toEqual(['address.unreachable'])
  const local = { url: 'http://localhost:4280' }
  expect(judge(local)).toEqual(['address.local'])
  expect(judge({ ...local, outcome: 'other_server', opensWebSocket: false })).toEqual([
    'address.other_server',
  ])
  expect(judge({ ...local, outcome: 'unreachable', opensWebSocket: false })).toEqual(['address.unreachable'])
  expect(judge({ url: 'http://chat.example' })).toEqual(['address.unencrypted'])
  expect(judge({ url: 'http://8.8.8.8:4280' })).toEqual(['address.unencrypted'])
})

it('findings name backups that are missing, old, failed, on the same disk or unproven', () => {
  const day = 86_400_000
  const none = { backup: null, failure: null, verification: null, wal: null }
  const at = new Date(10 * day).toISOString()
  const backup = {
    id: 'a',
    at,
    dir: '/backups',
    durationMs: 1,
    addedBytes: 1,
    keyStorage: 'plain' as const,
    isOnSameDisk: false,
    hasRecoverySheet: true,
    commandFailure: null,
  }
  const judge = (state: Partial<Parameters<typeof judgeBackups>[0]>, now = 10.5): CheckCode[] =>
    codes(judgeBackups({ ...none, ...state }, { createdAt: 0, now: now * day }))
  expect(judge({}, 0.5)).toEqual(['backups.none_yet'])
  expect(judge({})).toEqual(['backups.none'])
  expect(judge({ failure: { at, reason: 'full' } })).toEqual(['backups.failed'])
  expect(judge({ backup })).toEqual(['backups.recent', 'backups.unproven'])
  const verification = { id: 'a', at, failure: null }
  expect(judge({ backup, verification }, 13)).toEqual(['backups.old', 'backups.proven'])
  expect(judge({ backup: { ...backup, isOnSameDisk: true }, verification })).toContain('backups.same_disk')
  const withoutSheet = { ...backup, hasRecoverySheet: false }
  expect(judge({ backup: withoutSheet, verification })).toContain('backups.no_recovery_sheet')
  expect(judge({ backup: { ...withoutSheet, keyStorage: 'absent' }, verification })).not.toContain(
    'backups.no_recovery_sheet',
  )
  expect(judge({ backup, verification: { ...verification, failure: 'bad' } })).toContain(
    'backups.not_restorable',
  )
})

it('owners are reminded of backups on the same disk and of the recovery sheet from the second day on', () => {
  const remind = (is_new: boolean): boolean[] => [
    isReminder(createFinding('backups.same_disk', { is_new })),
    isReminder(createFinding('backups.no_recovery_sheet', { is_new })),
  ]
  expect(remind(true)).toEqual([false, false])
  expect(remind(false)).toEqual([true, true])
  expect(isReminder(createFinding('backups.unproven', {}))).toBe(false)
})

it('a certificate expires, names another host, or lacks a part of its chain', () => {
  const day = 86_400_000
  const judge = (days: number, hasName = true, chainError: string | null = null): CheckCode[] =>
    codes(judgeCertificate({ issuedAt: (days - 90) * day, expiresAt: days * day, hasName, chainError }, 0))
  expect(judge(60)).toEqual(['certificate.valid'])
  expect(judge(13)).toEqual(['certificate.expires_soon'])
  expect(judge(-1)).toEqual(['certificate.expired'])
  expect(judge(60, false)).toEqual(['certificate.other_name'])
  expect(judge(60, true, 'SELF_SIGNED')).toEqual(['certificate.untrusted'])
  // A certificate for six days is renewed two days before its end.
  const short = { issuedAt: -4 * day, expiresAt: 2 * day, hasName: true, chainError: null }
  expect(codes(judgeCertificate(short, 0))).toEqual(['certificate.valid'])
  expect(codes(judgeCertificate(short, day))).toEqual(['certificate.expires_soon'])
  expect(codes(judgeCertificate({ error: 'ENOENT' }, 0))).toEqual(['certificate.unreadable'])
})

it('names, the clock, settings and leftovers have a finding for each outcome', () => {
  expect(codes(judgeDns([]))).toEqual([])
  expect(codes(judgeDns([{ use: 'mail', name: 'mail.example', error: null }]))).toEqual(['dns.resolved'])
  expect(judgeDns([{ use: 'mail', name: 'mail.example', error: 'ENOTFOUND' }])[0]).toMatchObject({
    code: 'dns.unresolved',
    values: { name: 'mail' },
    details: ['mail.example: ENOTFOUND'],
  })
  expect([true, false, null].map((clock) => judgeClock(clock)[0]!.code)).toEqual([
    'clock.synchronized',
    'clock.not_synchronized',
    'clock.unknown',
  ])
  expect(codes(judgeSettings({ error: 'line 1' }))).toEqual(['settings.invalid'])
  expect(judgeLeftovers([{ path: '/data/running.json', bytes: 5 }])[0]?.values).toEqual({
    entries: 1,
    bytes: 5,
  })
})

it('each finding has a text, and each problem has advice', () => {
  const values = {
    problem: 'other',
    area: 'mail',
    name: 'mail',
    names: 'a',
    version: '1',
    installed: '2',
    included: 18,
    since: '2026-11-30T00:00:00Z',
    next: '2026-11-30T00:00:00Z',
    latest: '2026-11-30T00:00:00Z',
    at: '2026-11-30T00:00:00Z',
  }
  const numbers = new Proxy(values, {
    get: (all, key) => (Reflect.has(all, key) ? Reflect.get(all, key) : 5),
  })
  const all = (Object.keys(checkStates) as CheckCode[]).map((code) =>
    createLocalFinding(code, numbers as never),
  )
  for (const { code, text, advice, state } of describeFindings(all, {})) {
    expect([code, text]).not.toEqual([code, ''])
    expect([code, text]).not.toEqual([code, expect.stringMatching(/undefined|\{|NaN/)])
    expect([code, state === 'problem' && advice === '']).toEqual([code, false])
  }
})

it('problems are listed first, each with its advice and details', () => {
  const text = renderFindings(
    [
      createLocalFinding('port.free', { port: 4280 }),
      createLocalFinding(
        'disk.low',
        { free_bytes: 1e6, total_bytes: 1e9 },
        { details: ['The data are in /data.'] },
      ),
    ],
    {},
  )
  expect(text.indexOf('Problems')).toBeLessThan(text.indexOf('\nOK'))
  expect(text).toContain('1 MB of 1 GB are free')
  expect(text).toContain('What to do: Delete files')
  expect(text).toContain('The data are in /data.')
})

it('the commands in the advice act on the installation that was checked', () => {
  const [finding] = describeFindings([createLocalFinding('backups.unproven', {})], { data: '/srv/linnet' })
  expect(finding!.advice).toContain('linnet backup verify --data /srv/linnet')
})

it('a check that fails or takes too long returns the finding for this case', async () => {
  const unknown = [createLocalFinding('clock.unknown', {})]
  const findings = await runChecks([
    { run: () => Promise.reject(new Error('broken')), onTimeout: unknown },
    { timeoutMs: 1, run: () => new Promise(() => {}), onTimeout: unknown },
    { run: async () => judgeClock(true), onTimeout: unknown },
  ])
  expect(codes(findings)).toEqual(['clock.unknown', 'clock.unknown', 'clock.synchronized'])
})

it('a certificate by ACME is requested first, and a failed request has its reason', () => {
  const state = {
    host: 'chat.example.org',
    directory: 'https://authority.example',
    failures: 0,
    failure: null,
  }
  expect(codes(judgeAcme(null, false))).toEqual(['certificate.requested'])
  expect(judgeAcme({ ...state, retryAt: null, issuedAt: '2026-12-01T00:00:00Z' }, true)).toEqual([])
  const failure = { at: '2026-12-01T00:00:00Z', problem: 'validation' as const, reason: 'connection refused' }
  const retryAt = '2026-12-01T00:15:00Z'
  const [finding] = judgeAcme({ ...state, failures: 1, failure, retryAt, issuedAt: null }, false)
  expect(finding).toMatchObject({
    code: 'certificate.request_failed',
    state: 'problem',
    values: { problem: 'validation', next: retryAt },
    details: ['The last attempt failed at 2026-12-01T00:00:00Z: connection refused'],
  })
  const texts = (['validation', 'rate_limited', 'unreachable', 'refused', 'other'] as const).map(
    (problem) =>
      describeFindings(
        judgeAcme({ ...state, failures: 1, failure: { ...failure, problem }, retryAt, issuedAt: null }, true),
        {},
      )[0]!.text,
  )
  expect(new Set(texts).size).toBe(5)
})
