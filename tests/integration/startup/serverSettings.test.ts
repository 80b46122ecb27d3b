import type { SupabaseClient } from '@supabase/supabase-js'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fillLinnetData } from '../../../supabase/tests/support/linnetData.ts'
import type { ServerSettings, SettingChanges } from '../../../wire/serverSettings.ts'
import { bring, call, clientOf, foundWorkspace, signInAgain, signUp } from '../../support/people.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'
import { startSmtp, type SmtpServer } from '../../support/startSmtp.ts'

const root = join(import.meta.dirname, '../../..')
const data = temporaryData()
const file = join(data.dir, 'settings.json')
let server: Server
let smtp: SmtpServer
let ann: SupabaseClient
let workspace = ''
let channel = ''

beforeAll(async () => {
  smtp = await startSmtp({ auth: true })
  await fillLinnetData(data.dir)
  writeFileSync(join(data.dir, 'linnet.toml'), '[storage]\nfile_size_limit = "20MiB"\n', { mode: 0o600 })
  server = await startServer({ root, dataDir: data.dir, args: ['--no-app'] })
  const founded = await foundWorkspace(server)
  ann = founded.ann
  workspace = founded.workspace
  channel = founded.channel
})
afterAll(async () => {
  await server.end('SIGTERM')
  await smtp.stop()
  data.remove()
})

const waitOptions = { interval: 100, timeout: 60_000 }

async function send(
  client: SupabaseClient | null,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; body: ServerSettings & Record<string, unknown> }> {
  const token = client && (await client.auth.getSession()).data.session?.access_token
  const response = await fetch(`${server.url}/server/v1${path}`, {
    method,
    headers: {
      apikey: server.publishableKey,
      ...(token && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify({ workspace, ...body }) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as never }
}

const read = async (): Promise<ServerSettings> =>
  (await send(ann, 'GET', `/settings?workspace=${workspace}`)).body

const save = async (changes: SettingChanges, o: object = {}) =>
  send(ann, 'PUT', '/settings', { revision: (await read()).revision, changes, ...o })

async function restart(): Promise<ServerSettings> {
  const { startedAt } = await read()
  expect((await send(ann, 'POST', '/restart', {})).status).toBe(202)
  return vi.waitFor(async () => {
    const after = await read()
    // A server that stops responds with errors first.
    expect(after.startedAt).toBeTypeOf('string')
    expect(after.startedAt).not.toBe(startedAt)
    return after
  }, waitOptions)
}

const smtpSettings = () => ({
  'auth.email.smtp.host': '127.0.0.1',
  'auth.email.smtp.port': smtp.port,
  'auth.email.smtp.user': 'linnet',
  'auth.email.smtp.pass': 'hunter2',
  'auth.email.smtp.admin_email': 'chat@harbour.example',
})

it('members, guests, outsiders and callers without a token are refused as by a command', async () => {
  const bea = await bring(server, ann, { workspace, channels: [channel], name: 'Bea' })
  const gus = await bring(server, ann, { workspace, channels: [channel], name: 'Gus', role: 'guest' })
  const omar = await signUp(server, 'Omar')
  const path = `/settings?workspace=${workspace}`
  for (const [client, status, message] of [
    [bea, 403, 'not_allowed'],
    [gus, 403, 'not_allowed'],
    [omar, 404, 'not_found'],
    [null, 401, expect.any(String) as string],
  ] as const) {
    for (const [method, target, body] of [
      ['GET', path, undefined],
      ['PUT', '/settings', { revision: '', changes: { 'backup.keep_days': 1 } }],
      ['POST', '/settings/test-mail', { changes: {} }],
      ['POST', '/restart', {}],
      ['GET', `/backup?workspace=${workspace}`, undefined],
      ['POST', '/backup', {}],
    ] as const) {
      const found = await send(client, method, target, body)
      expect(found.status, `${method} ${target}`).toBe(status)
      expect(found.body['message']).toEqual(message)
    }
  }
  expect(existsSync(file)).toBe(false)
})

it('a mistake is refused with the sentence of the parser, and nothing is stored', async () => {
  const found = await save({ 'backup.keep_days': 3, 'backup.at': 'noon' })
  expect(found).toMatchObject({
    status: 422,
    body: {
      error: 'invalid_setting',
      setting: 'backup.at',
      message: expect.stringMatching(/^backup\.at must be a time of day/) as string,
    },
  })
  for (const [changes, setting] of [
    [{ 'auth.email.smtp.host': 'smtp.example' }, 'auth.email.smtp.host'],
    [{ 'server.public_url': 'chat' }, 'server.public_url'],
    [{ 'settings.mail_max_per_hour': -1 }, 'settings.mail_max_per_hour'],
    [{ 'auth.email.smtp.sender_name': 'env(LINNET_JWT_SECRET)' }, 'auth.email.smtp.sender_name'],
    [{ 'backup.command': 'touch /tmp/a' }, null],
  ] as [SettingChanges, string | null][])
    expect(await save(changes)).toMatchObject({ status: 422, body: { error: 'invalid_setting', setting } })
  expect(existsSync(file)).toBe(false)
})

it('a value of linnet.toml or of the environment is shown with its place and can not be changed', async () => {
  const { settings } = await read()
  expect(settings['storage.file_size_limit']).toEqual({
    value: '20MiB',
    isSet: true,
    fixedBy: 'linnet.toml',
  })
  expect(settings['backup.enabled']).toMatchObject({ fixedBy: 'LINNET_BACKUP_ENABLED' })
  expect(await save({ 'storage.file_size_limit': '1GiB' })).toMatchObject({
    status: 422,
    body: { error: 'fixed_setting', setting: 'storage.file_size_limit' },
  })
})

it('an address is stored only if the server is reachable there, or if the owner accepts that it is not', async () => {
  const other = { 'server.public_url': 'http://127.0.0.1:1' }
  expect(await save(other)).toMatchObject({ status: 422, body: { error: 'address_unreachable' } })
  expect(await save({ 'server.public_url': server.url })).toMatchObject({ status: 200 })
  expect(await save(other, { accept: ['address_unreachable'] })).toMatchObject({ status: 200 })
  expect(await save({ 'server.public_url': null })).toMatchObject({ status: 200, body: { waiting: [] } })
})

it('a test mail uses settings that are not stored, and shows the response of the mail server or the error of the connection', async () => {
  const changes = smtpSettings()
  expect(await send(ann, 'POST', '/settings/test-mail', { changes })).toMatchObject({
    status: 200,
    body: { recipient: 'ann@harbour.example', problem: null },
  })
  expect(smtp.accepted).toHaveLength(1)
  smtp.faults.push({ at: 'AUTH', answer: '535 wrong password' })
  const refused = await send(ann, 'POST', '/settings/test-mail', { changes })
  expect(refused.body).toMatchObject({ problem: '535 wrong password', isResponse: true })
  const unreachable = { ...changes, 'auth.email.smtp.port': 1 }
  expect((await send(ann, 'POST', '/settings/test-mail', { changes: unreachable })).body).toMatchObject({
    problem: expect.stringContaining('ECONNREFUSED') as string,
    isResponse: false,
  })
  expect(JSON.stringify(await read())).not.toContain('hunter2')
  expect((await read()).settings['auth.email.smtp.host']!.isSet).toBe(false)
})

it('an owner saves the mail server, which sends mails once the server has restarted', async () => {
  const { revision } = await read()
  const saved = await save(smtpSettings())
  expect(saved.status).toBe(200)
  expect(saved.text).not.toContain('hunter2')
  expect(saved.body.waiting).toEqual(Object.keys(smtpSettings()))
  expect(saved.body.settings['auth.email.smtp.pass']).toEqual({ value: null, isSet: true, fixedBy: null })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await send(ann, 'PUT', '/settings', { revision, changes: { 'backup.keep_days': 1 } })).toMatchObject(
    {
      status: 409,
      body: { error: 'changed_meanwhile' },
    },
  )
  expect(await restart()).toMatchObject({ waiting: [], undone: null })
  const before = smtp.accepted.length
  const { error } = await clientOf(server).auth.signInWithOtp({
    email: 'ann@harbour.example',
    options: { shouldCreateUser: false },
  })
  expect(error).toBeNull()
  await smtp.waitForMails(before + 1)
  expect(smtp.accepted.at(-1)).toMatchObject({ user: 'linnet' })
})

it('a stored password is not sent to another mail server', async () => {
  const changes = { 'auth.email.smtp.host': 'localhost' }
  const refusal = { status: 422, body: { setting: 'auth.email.smtp.pass' } }
  expect(await save(changes)).toMatchObject(refusal)
  expect(await send(ann, 'POST', '/settings/test-mail', { changes })).toMatchObject(refusal)
})

it('removing the last method to sign in from another machine needs a confirmation', async () => {
  const changes = Object.fromEntries(Object.keys(smtpSettings()).map((key) => [key, null]))
  expect(await save(changes)).toMatchObject({
    status: 422,
    body: { error: 'last_sign_in_method', setting: 'auth.email.smtp.host' },
  })
  const kept = readFileSync(file, 'utf8')
  expect((await save(changes, { accept: ['last_sign_in_method'] })).status).toBe(200)
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2')
  writeFileSync(file, kept)
})

it('an owner makes a backup, which only one request starts, and sees its result or why it has failed', async () => {
  const path = `/backup?workspace=${workspace}`
  const ended = () =>
    vi.waitFor(async () => {
      const { body } = await send(ann, 'GET', path)
      expect(body).toMatchObject({ isAvailable: true, isRunning: false })
      return body
    }, waitOptions)
  // The command reads the stored settings, so that a folder applies without a restart.
  const other = join(data.dir, 'settings.json', 'copies')
  const folder = join(data.dir, 'copies')
  expect(await save({ 'backup.to': other })).toMatchObject({ status: 200 })
  expect(await send(ann, 'POST', '/backup', {})).toMatchObject({ status: 202, body: { isRunning: true } })
  expect(await ended()).toMatchObject({ last: null, failure: { reason: expect.any(String) as string } })
  expect(await save({ 'backup.to': folder })).toMatchObject({ status: 200 })
  await Promise.all([send(ann, 'POST', '/backup', {}), send(ann, 'POST', '/backup', {})])
  expect(await ended()).toMatchObject({ last: { dir: folder, hasCommandFailed: false }, failure: null })
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1)
  expect(await save({ 'backup.to': null })).toMatchObject({ status: 200 })
})

it('the audit log has an entry for each save, with the names of the settings', async () => {
  await save({ 'backup.keep_days': 9, 'settings.mail_delay_minutes': 5 })
  const { entries } = await call(ann, 'list_audit_log', {
    workspace,
    action: 'server.settings_changed',
  })
  expect(entries[0]).toMatchObject({
    target: { settings: ['backup.keep_days', 'settings.mail_delay_minutes'] },
  })
  expect(entries[0]!.actor_id).toBeTruthy()
  expect(JSON.stringify(entries)).not.toContain('hunter2')
})

it('settings with which the server does not start are undone', async () => {
  await restart()
  const stored = readFileSync(file, 'utf8')
  expect(await save({ 'settings.mail_delay_minutes': 7 })).toMatchObject({ status: 200 })
  // Only a start finds that PostgreSQL refuses this expression.
  const broken = { ...JSON.parse(readFileSync(file, 'utf8')), 'settings.push_endpoints': '(' } as object
  writeFileSync(file, JSON.stringify(broken))
  await restart()
  expect(readFileSync(file, 'utf8')).toBe(stored)
  expect((await read()).undone).toContain('settings.push_endpoints')
  await signInAgain(server, 'Ann')
})

it('changes need a recent authentication where the workspace requires it, while settings stay readable', async () => {
  await call(ann, 'set_reauthentication', { workspace, on: true })
  expect((await save({ 'backup.keep_days': 8 })).status).toBe(200)
  const sql = new Client(server.dbUrl)
  await sql.connect()
  await sql.query(`update auth.mfa_amr_claims set updated_at = now() - interval '1 hour'`)
  await sql.end()
  await ann.auth.refreshSession()
  const refusal = { status: 403, body: { message: 'reauthentication_required' } }
  expect(await save({ 'backup.keep_days': 9 })).toMatchObject(refusal)
  expect(await send(ann, 'POST', '/settings/test-mail', { changes: {} })).toMatchObject(refusal)
  expect(await send(ann, 'POST', '/restart', {})).toMatchObject(refusal)
  expect(await send(ann, 'POST', '/backup', {})).toMatchObject(refusal)
  expect((await send(ann, 'GET', `/settings?workspace=${workspace}`)).status).toBe(200)
  // Also through the data API itself.
  const role = { workspace, person: workspace, role: 'admin' }
  expect((await ann.rpc('set_member_role', role)).error?.message).toBe('reauthentication_required')
  ann = await signInAgain(server, 'Ann')
  expect((await ann.rpc('set_member_role', role)).error?.message).toBe('not_found')
  expect((await save({ 'backup.keep_days': 9 })).status).toBe(200)
})

it('a setting that leaves the owner no method to sign in is refused, also if they accept it', async () => {
  ann = await signInAgain(server, 'Ann')
  await call(ann, 'set_reauthentication', { workspace, on: false })
  const both = { 'auth.email.codes': false, 'auth.email.passwords': false }
  expect(await save(both)).toMatchObject({ status: 422, body: { error: 'invalid_setting' } })
  const sql = new Client(server.dbUrl)
  await sql.connect()
  const account = `from auth.users where email = 'ann@harbour.example'`
  const hash = (await sql.query(`select encrypted_password as hash ${account}`)).rows[0].hash as string
  const setHash = (to: string) =>
    sql.query(`update auth.users set encrypted_password = $1 where email = 'ann@harbour.example'`, [to])
  await setHash('')
  const accept = ['last_sign_in_method']
  expect(await save({ 'auth.email.codes': false }, { accept })).toMatchObject({
    status: 422,
    body: { error: 'no_sign_in_method', setting: 'auth.email.codes' },
  })
  await setHash(hash)
  await sql.end()
})

it('without codes by mail, only people with an invitation get accounts, with a password of their own', async () => {
  const { token } = await call(ann, 'create_invitation', { workspace, role: 'member', channels: [channel] })
  const permit = (email: string) => call(clientOf(server), 'request_sign_up', { token, email })
  // An account that was created by a mail, and that nobody has used.
  await permit('uma@harbour.example')
  expect((await clientOf(server).auth.signInWithOtp({ email: 'uma@harbour.example' })).error).toBeNull()
  const accept = ['last_sign_in_method']
  expect((await save({ 'auth.email.codes': false }, { accept })).status).toBe(200)
  await restart()
  ann = await signInAgain(server, 'Ann')

  const { auth } = clientOf(server)
  const headers = { apikey: server.publishableKey }
  const published = await (await fetch(`${server.url}/auth/v1/settings`, { headers })).json()
  expect(published).toMatchObject({ external: { email: true }, mailer_codes_disabled: true })
  const email = 'ann@harbour.example'
  for (const refused of [
    await auth.signInWithOtp({ email }),
    await auth.resetPasswordForEmail(email),
    await auth.resend({ type: 'signup', email }),
    await ann.auth.updateUser({ email: 'other@harbour.example' }),
  ])
    expect(refused.error?.code).toBe('email_provider_disabled')

  const password = 'four random words here'
  // Also of an account that exists: the response does not reveal it.
  for (const outsider of ['omar@harbour.example', 'ann@harbour.example'])
    expect((await auth.signUp({ email: outsider, password })).error?.status).toBe(403)

  for (const [person, address] of [
    ['Nia', 'nia@harbour.example'],
    ['Uma', 'uma@harbour.example'],
  ] as const) {
    await permit(address)
    const client = clientOf(server)
    const { data, error } = await client.auth.signUp({ email: address, password })
    expect(error).toBeNull()
    // Nobody has confirmed it, so that nothing is granted by the address.
    expect(data.user?.email_confirmed_at).toBeFalsy()
    await call(client, 'accept_invitation', { token, person_name: person })
    const again = clientOf(server)
    expect((await again.auth.signInWithPassword({ email: address, password })).error).toBeNull()
    expect(await call(again, 'bootstrap', { workspace })).toMatchObject({ workspace: { id: workspace } })
    await permit(address)
    expect((await auth.signUp({ email: address, password: `${password}s` })).error?.code).toBe(
      'user_already_exists',
    )
  }

  // The person who confirms the address later is the only one with access: somebody else could have entered the address.
  const address = 'nia@harbour.example'
  const earlier = clientOf(server)
  expect((await earlier.auth.signInWithPassword({ email: address, password })).error).toBeNull()
  expect((await save({ 'auth.email.codes': true })).status).toBe(200)
  await restart()
  const alreadySent = smtp.accepted.length
  expect((await auth.signInWithOtp({ email: address })).error).toBeNull()
  const token_hash = await vi.waitFor(() => {
    const mail = smtp.accepted.slice(alreadySent).find(({ data }) => data.includes(address))
    return /token_hash=(?:3D)?([0-9a-f]{56})/.exec(mail!.data.replaceAll('=\r\n', ''))![1]!
  }, waitOptions)
  const owner = clientOf(server)
  const { data: verified } = await owner.auth.verifyOtp({ type: 'email', token_hash })
  expect(verified.user?.email_confirmed_at).toBeTruthy()
  expect(await call(owner, 'bootstrap', { workspace })).toMatchObject({ workspace: { id: workspace } })
  expect((await earlier.auth.refreshSession()).error).not.toBeNull()
  expect((await auth.signInWithPassword({ email: address, password })).error?.code).toBe(
    'invalid_credentials',
  )
})
