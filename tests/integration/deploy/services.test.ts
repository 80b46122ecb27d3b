import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { checkDeployment, type Deployment } from '../../../backend/optional/deploy/checkDeployment.ts'
import { functionsOf } from '../../../backend/optional/deploy/checkServices.ts'
import type { Report } from '../../../backend/optional/deploy/Report.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { supabaseDir } from './supabaseDir.ts'

/** Responses of a server by path; an object as body is sent as JSON. */
type Pages = Record<string, { body: unknown; status?: number; headers?: Record<string, string> }>

/** A server of an empty project with default settings. */
let hosted: Backend
const empty = mkdtempSync(join(tmpdir(), 'linnet-empty-'))
const servers: Server[] = []

async function serve(pages: () => Pages): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const page = pages()[incoming.url!] ?? { body: {}, status: 404 }
    const isText = typeof page.body === 'string'
    outgoing.writeHead(page.status ?? 200, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...page.headers,
    })
    outgoing.end(isText ? page.body : JSON.stringify(page.body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  hosted = await startBackend({ supabase: empty, more: { dbPort: 0 } })
})
afterAll(async () => {
  for (const server of servers) server.close()
  await hosted?.stop()
  rmSync(empty, { recursive: true })
})

const check = (more: Partial<Deployment>): Promise<Report> =>
  checkDeployment({
    supabaseDir,
    url: hosted.url,
    dbUrl: hosted.dbUrl,
    key: hosted.publishableKey,
    accessToken: null,
    site: null,
    ...more,
  })
const sentences = (findings: Report['missing'], about: RegExp): string[] =>
  findings.filter((one) => about.test(one.about)).map(({ sentence }) => sentence)

it('lists what an empty project lacks, and what cannot be checked', async () => {
  const { missing, unchecked } = await check({})
  expect(missing.map(({ sentence }) => sentence)).toEqual([
    'No migration is applied: npx supabase db push',
    "Addresses are not confirmed: anyone can sign up with another person's address.",
    expect.stringContaining('Realtime allows public channels'),
    expect.stringMatching(
      /^Storage accepts files of at most 50 MiB, but config\.toml has 500 MiB: .* Raise the upload limit/,
    ),
    ...functionsOf(loadConfig(supabaseDir)).map(
      (name) => `The function ${name} is not deployed: npx supabase functions deploy ${name}`,
    ),
  ])
  expect(unchecked.map(({ about }) => about)).toEqual(['hook', 'smtp', 'templates', 'redirects', 'expiry'])
  expect(unchecked[0]!.sentence).toMatch(/hook is on can't be checked from here; check the environment/)
})

it('finds nothing missing in the folder that is served', async () => {
  const { missing, unchecked } = await check({ supabaseDir: empty })
  expect(missing).toEqual([])
  expect(unchecked.map(({ about }) => about)).not.toContain('hook')
})

it('names the upload limit only if it is below that of config.toml, or not stated', async () => {
  const own = mkdtempSync(join(tmpdir(), 'linnet-limits-'))
  const limits = async (size: string, more: Partial<Deployment> = {}): Promise<Report> => {
    writeFileSync(join(own, 'config.toml'), `[storage]\nfile_size_limit = "${size}"\n`)
    return check({ supabaseDir: own, ...more })
  }
  expect(sentences((await limits('50MiB')).missing, /upload-limit/)).toEqual([])
  expect(sentences((await limits('49MiB')).missing, /upload-limit/)).toEqual([])
  expect(sentences((await limits('51MiB')).missing, /upload-limit/)).toEqual([
    expect.stringContaining('but config.toml has 51 MiB'),
  ])
  const other = await serve(() => ({ '/auth/v1/settings': { body: {} } }))
  expect(sentences((await limits('51MiB', { url: other })).unchecked, /upload-limit/)).toEqual([
    'The storage service does not state the largest file that it accepts.',
  ])
  rmSync(own, { recursive: true })
})

it('distinguishes a wrong key from a wrong URL, and stops there', async () => {
  const at = async (more: Partial<Deployment>): Promise<string[]> =>
    sentences((await check({ supabaseDir: empty, ...more })).missing, /./)
  expect(await at({ key: 'sb_publishable_wrong' })).toEqual([
    `${hosted.url} does not accept the key in --key.`,
  ])
  expect(await at({ url: 'http://127.0.0.1:1' })).toEqual(['http://127.0.0.1:1 does not respond.'])
  const other = await serve(() => ({ '/auth/v1/settings': { body: 'Welcome' } }))
  expect(await at({ url: other })).toEqual([
    `${other} is not a Supabase project: /auth/v1/settings responds 200.`,
  ])
})

const template = (kind: string): string =>
  readFileSync(join(supabaseDir, 'templates', `${kind}.html`), 'utf8')
const settings: Record<string, unknown> = {
  hook_before_user_created_enabled: true,
  hook_before_user_created_uri: 'pg-functions://postgres/public/before_user_created',
  smtp_host: 'mail.example',
  jwt_exp: 600,
  site_url: 'https://chat.example',
  uri_allow_list: 'https://chat.example/**',
  mailer_subjects_confirmation:
    '{{ if eq .Data.language "de" }}{{ if .Data.invited_by }}{{ .Data.invited_by }} hat dich zu {{ .Data.workspace_name }} eingeladen{{ else }}Bestätige deine E-Mail-Adresse für Linnet{{ end }}{{ else if .Data.invited_by }}{{ .Data.invited_by }} invited you to {{ .Data.workspace_name }}{{ else }}Confirm your email for Linnet{{ end }}',
  mailer_subjects_magic_link:
    '{{ if eq .Data.language "de" }}Bei Linnet anmelden{{ else }}Sign in to Linnet{{ end }}',
  mailer_subjects_recovery:
    '{{ if eq .Data.language "de" }}Linnet-Passwort zurücksetzen{{ else }}Reset your Linnet password{{ end }}',
  mailer_templates_confirmation_content: template('confirmation'),
  mailer_templates_magic_link_content: template('magic_link'),
  mailer_templates_recovery_content: template('recovery'),
}
const about = /hook|smtp|expiry|redirects|templates|topics|access-token|^function/
const ref = 'abcdefghijklmnopqrst'

async function managed(
  auth: Record<string, unknown>,
  more: { privateOnly?: boolean; status?: number } = {},
): Promise<string[]> {
  const api = await serve(() => ({
    [`/v1/projects/${ref}/config/auth`]: { body: auth, status: more.status ?? 200 },
    [`/v1/projects/${ref}/config/realtime`]: { body: { private_only: more.privateOnly ?? true } },
    [`/v1/projects/${ref}/functions`]: { body: [] },
  }))
  const { missing } = await check({
    // Without a key the services are not checked.
    key: null,
    accessToken: 'sbp_hush',
    site: 'https://chat.example',
    management: { project: ref, api },
  })
  expect(JSON.stringify(missing)).not.toContain('sbp_hush')
  return sentences(missing, about)
}

it('reads the settings of a hosted project, and reports no problem if they are correct', async () => {
  expect(sentences([{ about: 'hook', sentence: 'seen' }], about)).toEqual(['seen'])
  expect((await managed(settings)).filter((one) => !one.startsWith('The function'))).toEqual([])
})

it.each([
  [{ hook_before_user_created_enabled: false }, 'hook is off: anyone can create an account'],
  [
    { hook_before_user_created_uri: 'pg-functions://postgres/public/other' },
    'hook calls pg-functions://postgres/public/other',
  ],
  [{ smtp_host: null }, 'No mail server is configured: hosted projects send 2 emails an hour'],
  [{ jwt_exp: 3600 }, 'Tokens expire after 3600 s, but config.toml has 600'],
  [{ site_url: 'http://localhost:3000' }, 'Mailed links lead to http://localhost:3000'],
  [{ uri_allow_list: '' }, 'https://chat.example/** is not among the redirect URLs'],
  [
    { mailer_subjects_magic_link: 'Your Magic Link' },
    'The email template "magic_link" differs from config.toml',
  ],
  [
    { mailer_templates_recovery_content: '<p>Hello</p>' },
    'The email template "recovery" differs from config.toml',
  ],
])('%j', async (wrong, sentence) => {
  const problems = (await managed({ ...settings, ...wrong })).filter((one) => !one.startsWith('The function'))
  expect(problems).toEqual([expect.stringContaining(sentence)])
})

it('reports that public channels are allowed, and that an access token is refused', async () => {
  const own = (problems: string[]): string[] => problems.filter((one) => !one.startsWith('The function'))
  expect(own(await managed(settings, { privateOnly: false }))).toEqual([
    expect.stringContaining('public channels'),
  ])
  expect(await managed({}, { status: 401 })).toEqual([
    expect.stringContaining('with this access token (401)'),
  ])
})

it('checks the page, its content security policy and the key of a static host', async () => {
  const policy = `default-src 'none'; connect-src 'self' ${hosted.url} ${hosted.url.replace('http', 'ws')}`
  const page = { body: '<!doctype html>', headers: { 'content-security-policy': policy } }
  const right: Pages = {
    '/': page,
    '/setup': page,
    '/linnet.json': { body: { url: hosted.url, key: hosted.publishableKey, installation: 'x' } },
  }
  let pages = right
  const site = await serve(() => pages)
  const problems = async (wrong: Pages): Promise<string[]> => {
    pages = { ...right, ...wrong }
    const { missing } = await check({ supabaseDir: empty, site })
    expect(JSON.stringify(missing)).not.toContain(hosted.secretKey)
    return sentences(missing, /./)
  }
  expect(await problems({})).toEqual([])
  expect(await problems({ '/linnet.json': { body: {}, status: 404 } })).toEqual([
    expect.stringContaining('linnet.json is missing'),
  ])
  expect(
    await problems({ '/linnet.json': { body: { url: 'https://other.example', key: hosted.anonKey } } }),
  ).toEqual([expect.stringContaining('names the backend https://other.example')])
  const withKey = (key: string): Pages => ({ '/linnet.json': { body: { url: hosted.url, key } } })
  expect(await problems(withKey(hosted.anonKey))).toEqual([])
  expect(await problems(withKey('sb_publishable_wrong'))).toEqual([expect.stringContaining('is not one of')])
  for (const key of [hosted.secretKey, hosted.serviceRoleKey]) {
    expect(await problems(withKey(key))).toEqual([expect.stringContaining('exposes a secret key')])
  }
  expect(await problems({ '/setup': { body: {}, status: 404 } })).toEqual([
    expect.stringContaining('/setup is not found'),
  ])
  const bare = { body: '<!doctype html>' }
  expect(await problems({ '/': bare })).toEqual([
    expect.stringContaining('without a content security policy'),
  ])
  const narrow = { ...bare, headers: { 'content-security-policy': "connect-src 'self'" } }
  expect(await problems({ '/': narrow })).toEqual([expect.stringContaining('does not allow connections')])
})
