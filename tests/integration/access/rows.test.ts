/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Uuid } from '../../../wire/scalars.ts'
import {
  request,
  forge,
  openAccessFixture,
  outsiders,
  type AccessFixture,
  type Name,
} from './accessFixture.ts'

type Row = Record<string, unknown>

/** The key of a row, and the readable columns. */
const tables: Record<string, { key: string; columns?: string }> = {
  profiles: {
    key: 'id',
    columns: 'id,kind,name,avatar,status_emoji,status_text,status_expires_at,created_at',
  },
  workspaces: { key: 'id' },
  workspace_members: {
    key: 'profile_id',
    columns: 'workspace_id,profile_id,role,state,expires_at,deactivated_at,created_at',
  },
  invitations: {
    key: 'id',
    columns: 'id,workspace_id,role,email,invited_by,max_uses,uses,expires_at,revoked_at,created_at',
  },
  invitation_channels: { key: 'invitation_id,channel_id' },
  channels: { key: 'id' },
  channel_counters: { key: 'channel_id' },
  channel_members: { key: 'channel_id,profile_id' },
  channel_member_state: { key: 'channel_id,profile_id' },
  messages: { key: 'id' },
  message_revisions: { key: 'message_id,rev' },
  reactions: { key: 'message_id,emoji,profile_id' },
  pins: { key: 'message_id' },
  mentions: { key: 'id' },
  thread_members: { key: 'root_id,profile_id' },
  attachments: { key: 'message_id,upload_id' },
}
const closedTables = [
  'settings',
  'message_search',
  'search_vocabulary',
  'file_texts',
  'heartbeats',
  'presence',
  'presence_changes',
  'file_deletion_queue',
  'channel_removals',
  'sign_up_requests',
]

let fixture: AccessFixture
let everything: Record<string, Row[]>
beforeAll(async () => {
  fixture = await openAccessFixture()
  everything = {}
  for (const table of Object.keys(tables)) everything[table] = await rowsOf(null, table)
})
afterAll(() => fixture?.backend.stop())

const keyOf = (table: string, row: Row): string =>
  tables[table]!.key.split(',')
    .map((column) => String(row[column]))
    .join(' ')

/** All rows of a table that somebody sees; null is the service role, which sees all. */
async function rowsOf(who: Name | null, table: string): Promise<Row[]> {
  const client = who ? fixture.people[who] : fixture.admin
  const { data, error } = await client.from(table).select(who ? (tables[table]!.columns ?? '*') : '*')
  expect(error, `${who} ${table}`).toBeNull()
  return (data as unknown as Row[]).toSorted((a, b) => (keyOf(table, a) < keyOf(table, b) ? -1 : 1))
}

/** Readable channels with their history start, declared by hand. */
function readableChannels(who: Name): Map<Uuid, number> {
  const { lobby, annex, partners, direct, profiles } = fixture
  const historyStart = (): number =>
    Number(
      everything['channel_members']!.find(
        (m) => m['channel_id'] === annex && m['profile_id'] === profiles.gus,
      )!['history_from_seq'],
    )
  switch (who) {
    case 'ann':
      return new Map([lobby, annex].map((id) => [id, 1]))
    case 'bea':
      return new Map([lobby, annex, partners, direct].map((id) => [id, 1]))
    case 'eli':
      return new Map([lobby, direct].map((id) => [id, 1]))
    case 'gus':
      return new Map([[annex, historyStart()]])
    default:
      return new Map()
  }
}

/** Whether somebody may see a row, declared by hand and independent of the policies. */
function allowed(who: Name, table: string, row: Row): boolean {
  const { profiles } = fixture
  const mine = who === 'omar' ? null : profiles[who]
  const reads = readableChannels(who)
  const isMember = reads.size > 0
  const readsMessage = (id: unknown): boolean => {
    const message = everything['messages']!.find((m) => m['id'] === id)!
    const historyStart = reads.get(message['channel_id'] as Uuid)
    return historyStart !== undefined && Number(message['history_seq']) >= historyStart
  }
  const knows = (id: unknown): boolean =>
    who === 'gus'
      ? [profiles.ann, profiles.bea, profiles.gus, profiles.max].includes(id as Uuid)
      : isMember || id === mine
  switch (table) {
    case 'profiles':
      return who !== 'sid' && knows(row['id'])
    case 'workspaces':
      return isMember
    case 'workspace_members':
      return isMember && knows(row['profile_id'])
    case 'invitations':
    case 'invitation_channels':
      return who === 'ann'
    case 'channels':
      return reads.has(row['id'] as Uuid)
    case 'channel_counters':
    case 'channel_members':
      return reads.has(row['channel_id'] as Uuid)
    case 'channel_member_state':
      return row['profile_id'] === mine && reads.has(row['channel_id'] as Uuid)
    case 'messages':
      return readsMessage(row['id'])
    case 'message_revisions':
      return who === 'bea' && readsMessage(row['message_id'])
    case 'thread_members':
      return row['profile_id'] === mine && readsMessage(row['root_id'])
    default:
      return readsMessage(row['message_id'])
  }
}

test('everybody sees exactly the permitted rows of every table', async () => {
  for (const who of ['bea', ...outsiders] as const) {
    for (const table of Object.keys(tables)) {
      const seen = (await rowsOf(who, table)).map((row) => keyOf(table, row)).toSorted()
      const wanted = everything[table]!.filter((row) => allowed(who, table, row)).map((row) =>
        keyOf(table, row),
      )
      expect(seen, `${who}: ${table}`).toEqual(wanted.toSorted())
    }
  }
  for (const table of Object.keys(tables)) {
    // The premise: there are visible rows, and in most tables hidden ones.
    expect(everything[table]!.length, table).toBeGreaterThan(0)
    const hidden = everything[table]!.some((row) => !allowed('gus', table, row))
    expect(hidden, table).toBe(table !== 'workspaces')
  }
})

test('no table is readable with only the publishable key, or with an expired or forged token', async () => {
  const { backend, tokens } = fixture
  const past = Math.floor(Date.now() / 1000) - 3600
  const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${tokens.bea.split('.')[1]}.`
  const bad = {
    expired: await forge(tokens.bea, { exp: past }, backend.jwtSecret),
    'by the public key': await forge(tokens.bea, {}, backend.publishableKey.padEnd(32, '=')),
    'by another secret': await forge(tokens.bea, { role: 'service_role' }, 'x'.repeat(64)),
    unsigned: none,
    'with another body': tokens.bea.replace(/\.[^.]+\./, `.${tokens.ann.split('.')[1]}.`),
  }
  for (const table of [...Object.keys(tables), ...closedTables]) {
    const path = `/rest/v1/${table}?select=${tables[table]?.columns ?? '*'}`
    expect((await request(fixture, path, tokens.bea)).status, table).toBe(tables[table] ? 200 : 403)
    expect((await request(fixture, path, null)).status, `anon: ${table}`).toBe(401)
    for (const [how, token] of Object.entries(bad)) {
      const response = await request(fixture, path, token)
      expect(response.status, `${how}: ${table}`).toBe(401)
      expect(await response.text(), how).not.toContain('Orchids')
    }
  }
  for (const table of closedTables) {
    for (const who of ['ann', 'bea', 'omar'] as const) {
      expect((await request(fixture, `/rest/v1/${table}`, tokens[who])).status, `${who}: ${table}`).toBe(403)
    }
  }
  // A validly signed token without an active session has no access.
  const forgedToken = await forge(tokens.bea, { session_id: fixture.workspace }, backend.jwtSecret)
  expect(await (await request(fixture, '/rest/v1/messages?select=id', forgedToken)).json()).toEqual([])
})

test('embeds, counts, filters, OR trees and orders reveal nothing beyond visible rows', async () => {
  const { tokens, partners, messages, path } = fixture
  const upload = path.split('/')[1]!
  const questions = [
    `messages?select=id,channels(name)&channel_id=eq.${partners}`,
    `messages?select=id&or=(id.eq.${messages.secret},and(channel_id.eq.${partners},body.not.is.null))`,
    `messages?select=id&body=ilike.*orchids*&channel_id=eq.${partners}`,
    `messages?select=id,channels!inner(id)&channels.name=eq.partners`,
    `reactions?select=emoji,messages!inner(body)&message_id=eq.${messages.secret}`,
    `channels?select=id,messages(body),channel_members(profile_id)&id=eq.${partners}`,
    `attachments?select=name&upload_id=eq.${upload}`,
    `mentions?select=id&channel_id=eq.${partners}`,
    `pins?select=message_id&channel_id=eq.${partners}`,
    `channel_counters?select=epoch&channel_id=eq.${partners}`,
    `channels?select=id&name=eq.partners&order=created_at`,
  ]
  for (const question of questions) {
    const get = (who: Name) =>
      request(fixture, `/rest/v1/${question}`, tokens[who], { headers: { prefer: 'count=exact' } })
    const seen = await get('bea')
    expect([seen.status, await seen.json()], question).toEqual([
      200,
      expect.arrayContaining([expect.anything()]),
    ])
    for (const who of outsiders) {
      const response = await get(who)
      expect(await response.json(), `${who}: ${question}`).toEqual([])
      expect(response.headers.get('content-range'), `${who}: ${question}`).toBe('*/0')
    }
  }
  // Visible rows that embed hidden ones.
  for (const question of [
    `profiles?select=id,messages!messages_author_id_fkey(channel_id)&name=eq.bea`,
    `workspaces?select=id,channels(id,name)`,
    `profiles?select=id,channel_members(channel_id)&name=eq.bea`,
  ]) {
    const isVisibleTo = async (who: Name): Promise<boolean> =>
      (await (await request(fixture, `/rest/v1/${question}`, tokens[who])).text()).includes(partners)
    expect(await isVisibleTo('bea'), question).toBe(true)
    for (const who of outsiders) expect(await isVisibleTo(who), `${who}: ${question}`).toBe(false)
  }
})

test('secret columns can be neither read, filtered, ordered nor embedded', async () => {
  for (const question of [
    'profiles?select=user_id',
    'profiles?select=*',
    'profiles?select=id&user_id=not.is.null',
    'profiles?select=id&order=user_id',
    'invitations?select=token_hash',
    'invitations?select=id&token_hash=like.a*',
    'invitations?select=id&order=token_hash',
    'workspace_members?select=profile_id,profiles(user_id)',
    'invitation_channels?select=invitations(token_hash)',
  ]) {
    for (const who of ['ann', 'bea', 'omar'] as const) {
      const response = await request(fixture, `/rest/v1/${question}`, fixture.tokens[who])
      expect(response.status, `${who}: ${question}`).toBe(403)
      expect(await response.text()).toContain('42501')
    }
  }
})

test('an estimated count reveals no more than an exact one', async () => {
  const { partners, tokens } = fixture
  const guess = async (who: Name, question: string, count: string): Promise<string | null> =>
    (
      await request(fixture, `/rest/v1/${question}`, tokens[who], {
        method: 'HEAD',
        headers: { prefer: `count=${count}` },
      })
    ).headers.get('content-range')
  for (const count of ['planned', 'estimated']) {
    for (const question of [
      `messages?select=id`,
      `messages?select=id&channel_id=eq.${partners}`,
      'channels?select=id',
    ]) {
      expect(await guess('bea', question, count)).not.toBe('*/0')
      expect(await guess('omar', question, count), `${count}: ${question}`).toBe('*/0')
    }
  }
  const plan = await request(fixture, '/rest/v1/messages', tokens.bea, {
    headers: { accept: 'application/vnd.pgrst.plan+json' },
  })
  expect(plan.status).toBe(406)
})

test('no other schema is accessible, nor its functions', async () => {
  const { tokens, profiles } = fixture
  for (const profile of [
    'app',
    'auth',
    'storage',
    'realtime',
    'pg_catalog',
    'information_schema',
    'linnet',
  ]) {
    for (const path of ['messages', 'objects', 'users', 'sessions', 'pg_authid']) {
      const response = await request(fixture, `/rest/v1/${path}`, tokens.ann, {
        headers: { 'accept-profile': profile },
      })
      expect(response.status, `${profile}.${path}`).toBe(406)
    }
    const called = await request(fixture, '/rest/v1/rpc/entry_as_json', tokens.ann, {
      method: 'POST',
      body: JSON.stringify({ viewer: profiles.bea, channel: fixture.partners }),
      headers: { 'content-profile': profile },
    })
    expect(called.status, profile).toBe(406)
  }
  for (const [name, args] of [
    ['register_setup_token', {}],
    ['list_files_to_delete', {}],
    ['confirm_files_deleted', { bucket: 'files', names: [fixture.path] }],
    ['before_user_created', { event: {} }],
  ] as const) {
    for (const who of [null, 'ann', 'omar'] as const) {
      const response = await request(fixture, `/rest/v1/rpc/${name}`, who && tokens[who], {
        method: 'POST',
        body: JSON.stringify(args),
      })
      expect(response.status, `${who}: ${name}`).toBe(who ? 403 : 401)
    }
  }
})
