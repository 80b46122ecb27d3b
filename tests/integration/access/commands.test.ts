/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandName, Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { bring, call, clientOf, signInAgain, signUp } from '../../support/people.ts'
import { transactionOn } from '../../../supabase/tests/support/fixture.ts'
import { slowDownRefill } from '../../../supabase/tests/support/slowDownRefill.ts'
import { request, forge, openAccessFixture, tokenOf, type AccessFixture, type Name } from './accessFixture.ts'

let fixture: AccessFixture
beforeAll(async () => {
  fixture = await openAccessFixture()
})
afterAll(() => fixture?.backend.stop())

type Refusal = [status: number, code: string, message: string]

/** The error of a command; null on success. */
async function refusal(token: string | null, name: string, args: object): Promise<Refusal | null> {
  const response = await request(fixture, `/rest/v1/rpc/${name}`, token, {
    method: 'POST',
    body: JSON.stringify(args),
  })
  if (response.ok) return null
  const { code, message, details, hint } = (await response.json()) as Record<string, string | null>
  // The error for a token signed with another key is independent of the request.
  const reportedDetails = code === 'PGRST301' ? null : details
  expect([reportedDetails, hint], `${name}: more than a name`).toEqual([null, null])
  return [response.status, String(code), String(message)]
}

const failure = async (who: Name, name: CommandName, args: object): Promise<string> =>
  (await refusal(fixture.tokens[who], name, args))?.[2] ?? 'allowed'

interface Probe<N extends CommandName = CommandName> {
  name: N
  args: (target: Uuid) => Commands[N]['args']
}
const probe = <N extends CommandName>(name: N, args: Probe<N>['args']): Probe =>
  ({ name, args }) as unknown as Probe

/** In this order all succeed for Bea. */
const onMessages = [
  probe('thread_page', (root) => ({ root })),
  probe('who_can_read', (message) => ({ message })),
  probe('react', (message) => ({ message, emoji: '🌱', on: true })),
  probe('pin_message', (message) => ({ message, on: true })),
  probe('edit_message', (id) => ({ id, body: 'Changed' })),
  probe('delete_message', (id) => ({ id })),
]
/** Expects the same error for an inaccessible object and for an unknown id, for each of `whom`. */
async function refusedAlike(probes: Probe[], target: Uuid, whom: readonly Name[]): Promise<void> {
  for (const who of whom) {
    const wanted = who === 'sid' ? [401, 'PT401', 'session_ended'] : [404, 'PT404', 'not_found']
    for (const { name, args } of probes) {
      const label = `${who}: ${name}`
      expect(await refusal(fixture.tokens[who], name, args(target)), label).toEqual(wanted)
      expect(await refusal(fixture.tokens[who], name, args(randomUUID())), `${label} on nothing`).toEqual(
        wanted,
      )
    }
  }
}

async function allowed(who: Name, probes: Probe[], target: Uuid): Promise<void> {
  for (const { name, args } of probes) {
    expect(await refusal(fixture.tokens[who], name, args(target)), `${who}: ${name}`).toBeNull()
  }
}

test('every command respects the history start of a guest', async () => {
  const { messages, annex } = fixture
  await refusedAlike(onMessages, messages.early, ['gus'])
  await allowed('gus', onMessages.slice(0, 3), messages.late)
  const { body, ...page } = await call(fixture.people.gus, 'channel_page', {
    channel: annex,
    before: 3,
  }).then((response) => ({ ...response, body: JSON.stringify(response) }))
  expect([page.messages, page.has_before, body.includes('Orchids')]).toEqual([[], false, false])
  for (const around of [1, 2, 3]) {
    const { messages: shown } = await call(fixture.people.gus, 'channel_page', { channel: annex, around })
    expect(shown.map((message) => message.id)).not.toContain(messages.early)
  }
  const changes = await call(fixture.people.gus, 'channel_changes', { channel: annex, after_rev: 0 })
  expect(JSON.stringify(changes)).toContain(messages.late)
  expect(JSON.stringify(changes)).not.toContain(messages.early)
  expect(
    await failure('gus', 'send_message', {
      id: randomUUID(),
      channel: annex,
      body: 'And before?',
      thread_root: messages.early,
    }),
  ).toBe('not_found')
})

test('search finds only readable messages, and only readers of a message see who can read it', async () => {
  const { workspace, partners, annex, messages, profiles } = fixture
  const found = async (who: Name, channel: Uuid | null = null): Promise<string[]> =>
    (
      await call(fixture.people[who], 'search_messages', {
        workspace,
        query: 'orch',
        filters: channel ? { in: [channel] } : null,
      })
    ).hits.map((hit) => hit.message.id)
  expect(await found('bea')).toEqual(
    expect.arrayContaining([messages.secret, messages.early, messages.late, messages.whisper, messages.open]),
  )
  expect(await found('ann')).not.toContain(messages.secret)
  expect(await found('ann')).not.toContain(messages.whisper)
  expect(await found('eli')).toEqual(expect.arrayContaining([messages.whisper, messages.open]))
  expect(await found('eli')).not.toContain(messages.secret)
  expect((await found('gus')).filter((id) => id !== messages.late)).toHaveLength(1)
  for (const who of ['ann', 'eli', 'gus'] as const) expect(await found(who, partners), who).toEqual([])
  expect(await found('gus', annex)).toEqual(await found('gus'))
  expect(await call(fixture.people.bea, 'who_can_read', { message: messages.secret })).toEqual({
    people: [profiles.bea, profiles.sid].toSorted(),
    members: [profiles.bea, profiles.sid].toSorted(),
    everyone: false,
  })
})

test('a message of another author can be neither changed nor overwritten', async () => {
  const { messages, lobby, people } = fixture
  expect(await failure('eli', 'edit_message', { id: messages.open, body: 'Mine' })).toBe('not_allowed')
  expect(await failure('eli', 'delete_message', { id: messages.open })).toBe('not_allowed')
  const reportedDetails = { channel: lobby, body: 'Mine' }
  for (const id of [messages.open, messages.whisper]) {
    expect(await failure('eli', 'send_message', { ...reportedDetails, id })).toBe('conflict')
  }
  const { message } = await call(people.bea, 'edit_message', { id: messages.open, body: 'Still mine' })
  expect(message.author_id).toBe(fixture.profiles.bea)
})

test('commands require an active session, except reading an invitation by its token', async () => {
  const { backend, tokens, workspace, lobby, messages, invitation } = fixture
  const past = Math.floor(Date.now() / 1000) - 3600
  const bad = [
    await forge(tokens.bea, { exp: past }, backend.jwtSecret),
    await forge(tokens.bea, {}, 'x'.repeat(64)),
    `${tokens.bea.slice(0, -6)}AAAAAA`,
  ]
  const probes = [
    ['bootstrap', { workspace }] as const,
    ['channel_page', { channel: lobby }] as const,
    ...onMessages.map(({ name, args }) => [name, args(messages.open)] as const),
    ['accept_invitation', { token: invitation.token, person_name: 'Nobody' }] as const,
  ]
  for (const [name, args] of probes) {
    expect((await refusal(null, name, args))?.[0], `anon: ${name}`).toBe(401)
    for (const token of bad) expect((await refusal(token, name, args))?.[0], name).toBe(401)
  }
  expect(await refusal(null, 'view_invitation', { token: invitation.token })).toBeNull()
})

test('the workspace can be founded only once, with any token', async () => {
  const { backend } = fixture
  const token = new URLSearchParams(new URL(backend.setupUrl!).hash.slice(1)).get('token')!
  const founding = { workspace_name: 'Mine', channel_name: 'all', person_name: 'Omar' }
  for (const who of ['omar', 'ann', 'dee'] as const) {
    for (const shown of [token, randomUUID()]) {
      expect(await failure(who, 'found_workspace', { ...founding, token: shown })).toBe('already_founded')
    }
  }
})

test('an invitation works only for its address, while it is valid, and can not be guessed', async () => {
  const { backend, people, workspace, annex, admin, tokens } = fixture
  const invite = (args: Partial<Commands['create_invitation']['args']> = {}) =>
    call(people.ann, 'create_invitation', { workspace, role: 'member', channels: [annex], ...args })
  const accept = async (token: string, who: Name = 'omar') =>
    failure(who, 'accept_invitation', { token, person_name: 'Omar' })
  for (const guess of [
    '',
    'x',
    '%',
    randomUUID(),
    fixture.invitation.id,
    fixture.invitation.token.slice(0, -1),
  ]) {
    expect(await accept(guess)).toBe('invitation_invalid')
    expect((await refusal(null, 'view_invitation', { token: guess }))?.[2]).toBe('invitation_invalid')
  }
  const meant = await invite({ email: 'una@harbour.example' })
  expect(await accept(meant.token)).toBe('invitation_other_email')
  const revoked = await invite()
  await call(people.ann, 'revoke_invitation', { id: revoked.id })
  expect(await accept(revoked.token)).toBe('invitation_revoked')
  const old = await invite()
  const { error } = await admin
    .from('invitations')
    .update({ expires_at: new Date(Date.now() - 1000).toISOString() })
    .eq('id', old.id)
  expect(error).toBeNull()
  expect(await accept(old.token)).toBe('invitation_expired')
  expect(await accept(fixture.invitation.token, 'dee')).toBe('not_allowed')
  expect(await accept(fixture.invitation.token, 'max')).toBe('not_allowed')
  expect(await accept(fixture.invitation.token, 'sid')).toBe('session_ended')
  const once = await invite({ max_uses: 1 })
  await call(await signUp(backend, 'una'), 'accept_invitation', { token: once.token, person_name: 'Una' })
  expect(await accept(once.token)).toBe('invitation_used')
  expect(await (await request(fixture, '/rest/v1/workspaces', tokens.omar)).json()).toEqual([])
})

async function grant(dbUrl: string, profile: string, client: string): Promise<void> {
  const db = new Client(dbUrl)
  await db.connect()
  try {
    await db.query(
      'insert into public.application_grants (profile_id, client_id, scopes) values ($1, $2, $3)',
      [profile, client, ['channels:read', 'messages:read', 'messages:write']],
    )
  } finally {
    await db.end()
  }
}

test('an OAuth application can do what its person has granted, but not change members, channels or invitations', async () => {
  const { backend, workspace, lobby, profiles } = fixture
  const token = await tokenOf(await signInAgain(backend, 'ann'))
  const session = (decodeJwt(token) as { session_id: string }).session_id
  const db = new Client(backend.dbUrl)
  await db.connect()
  try {
    await db.query(
      `insert into auth.oauth_clients (id, client_type, registration_type, redirect_uris, grant_types,
         token_endpoint_auth_method)
       values ($1, 'public', 'manual', 'https://app.example/', 'authorization_code', 'none')`,
      [session],
    )
    await db.query('update auth.sessions set oauth_client_id = id where id = $1', [session])
  } finally {
    await db.end()
  }
  const message = { id: randomUUID(), channel: lobby, body: 'Sent by an application' }
  const refused = [403, 'PT403', 'not_allowed']
  // Before its person has granted anything.
  for (const [name, args] of [
    ['bootstrap', { workspace }],
    ['send_message', message],
  ] as const) {
    expect(await refusal(token, name, args), name).toEqual(refused)
  }
  await grant(backend.dbUrl, profiles.ann, session)
  expect(await refusal(token, 'bootstrap', { workspace })).toBeNull()
  expect(await refusal(token, 'send_message', message)).toBeNull()
  for (const [name, args] of [
    ['create_invitation', { workspace, role: 'member', channels: [lobby] }],
    ['list_invitations', { workspace }],
    ['create_channel', { id: randomUUID(), workspace, kind: 'public', name: 'by an application' }],
    ['add_members', { channel: lobby, people: [profiles.eli] }],
    ['deactivate_member', { workspace, person: profiles.bea }],
    ['rename_workspace', { workspace, name: 'Renamed' }],
    ['my_sessions', {}],
  ] as const) {
    expect(await refusal(token, name, args), name).toEqual(refused)
  }
  const listed = await request(fixture, `/rest/v1/rpc/list_invitations?workspace=${workspace}`, token)
  expect(listed.status).toBe(403)
})

test('signing up without an invitation creates no account, without revealing so, and lists no tables', async () => {
  const { backend, admin, invitation } = fixture
  const count = async () => (await admin.auth.admin.listUsers({ perPage: 1000 })).data.users.length
  const before = await count()
  const outsider = clientOf(backend)
  const email = 'outsider@elsewhere.example'
  for (const data of [{}, { invitation: 'x' }, { invitation: invitation.id }]) {
    // The response is that of invited addresses, once; then rate limits apply.
    const { error } = await outsider.auth.signUp({ email, password: randomUUID(), options: { data } })
    expect([undefined, 429]).toContain(error?.status)
    const wait = await outsider.auth.signInWithOtp({ email, options: { data } })
    expect(wait.error?.code).toBe('over_email_send_rate_limit')
  }
  expect((await outsider.auth.signInAnonymously()).error).not.toBeNull()
  expect(await count()).toBe(before)
  const root = await request(fixture, '/rest/v1/', null)
  expect(await root.text()).not.toMatch(/message_search|invitations|channel_members/)
  for (const who of [null, 'ann', 'omar'] as const) {
    const users = await request(fixture, '/auth/v1/admin/users', who && fixture.tokens[who])
    expect([401, 403], `${who}`).toContain(users.status)
  }
})

test('a removed member cannot rejoin by an earlier invitation, nor by one that they created', async () => {
  const { backend, admin, people, workspace } = fixture
  const room = randomUUID()
  await call(people.ann, 'create_channel', { id: room, workspace, kind: 'private', name: 'attic' })
  const { token } = await call(people.ann, 'create_invitation', {
    workspace,
    role: 'member',
    channels: [room],
  })
  const ivo = await signUp(backend, 'ivo')
  const enter = () => call(ivo, 'accept_invitation', { token, person_name: 'ivo' })
  const { profile } = await enter()
  const reads = async () => (await ivo.rpc('channel_page', { channel: room })).error?.message ?? 'reads'
  expect(await reads()).toBe('reads')
  await call(people.ann, 'remove_member', { channel: room, person: profile.id })
  await enter()
  expect(await reads()).toBe('not_found')

  const joe = await bring(backend, people.ann, { workspace, channels: [room], name: 'joe' })
  const { data } = await admin.from('profiles').select('id').eq('name', 'joe').single()
  await admin.from('workspace_members').update({ role: 'admin' }).eq('profile_id', data!.id)
  const own = await call(joe, 'create_invitation', { workspace, role: 'member', channels: [room] })
  await call(people.ann, 'deactivate_member', { workspace, person: data!.id })
  const other = await signUp(backend, 'joseph')
  const { error } = await other.rpc('accept_invitation', { token: own.token, person_name: 'Joseph' })
  expect(error?.message).toBe('invitation_revoked')
})

test('rate limits apply to the caller who exceeds them, and to nobody else', async () => {
  const { annex, backend, messages, people, tokens } = fixture
  const db = new Client(backend.dbUrl)
  await db.connect()
  await slowDownRefill(transactionOn(db))
  await db.end()
  const react = (token: string, on: boolean) =>
    refusal(token, 'react', { message: messages.late, emoji: '🌊', on })
  const refused: Refusal[] = []
  for (let count = 0; count < 200 && refused.length === 0; count++) {
    const error = await react(tokens.gus, count % 2 === 0)
    if (error) refused.push(error)
  }
  expect(refused).toEqual([[429, 'PT429', 'rate_limited']])
  expect(await react(tokens.bea, true)).toBeNull()
  const body = 'Of another kind'
  await call(people.gus, 'send_message', { id: randomUUID(), channel: annex, body })

  // A request that fails counts too, or a failing one could be repeated without a limit.
  const edit = { id: messages.late, body: 'x'.repeat(50_000) }
  const edits = new Set<number>()
  for (let count = 0; count < 200 && !edits.has(429); count++) {
    edits.add((await refusal(tokens.gus, 'edit_message', edit))![0])
  }
  expect(edits).toEqual(new Set([400, 429]))

  const renamed: number[] = []
  for (let count = 0; count < 30 && !renamed.includes(429); count++) {
    const row = people.gus.from('profiles').update({ status_text: `Status ${count}` })
    const { status } = await row.eq('id', fixture.profiles.gus)
    renamed.push(status)
  }
  expect(new Set(renamed)).toEqual(new Set([204, 429]))
})
