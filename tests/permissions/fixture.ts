import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { openFixture, type Name, type Fixture } from '../../supabase/tests/support/fixture.ts'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { MessageExtras } from '../../wire/messages.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { startBackend, type Backend } from '../support/backend.ts'
import { PipelinedClient } from './PipelinedClient.ts'
import type { Names } from './namedValues.ts'
import { actors, specialActors, type Actor } from './readMatrix.ts'

/** The people of the rules' tests in a whole backend, with the objects that the matrix refers to. */
export interface PermissionFixture {
  backend: Backend
  base: Fixture
  client: PipelinedClient
  /** Values of the names in the matrix for this actor; `me` is their profile. */
  namesFor(actor: Actor): Names
  token(actor: Actor): string | null
  /** Texts that no response to this actor may contain. */
  secretsFrom(actor: Actor): string[]
  stop(): Promise<void>
}

type Person = Exclude<Actor, 'anon' | 'half' | 'stale' | 'service'>
const personByActor: Partial<Record<Actor, Person | null>> = {
  anon: null,
  half: 'cem',
  stale: 'bea',
  service: null,
}
export const personOf = (actor: Actor): Person | null => {
  const person = personByActor[actor]
  return person === undefined ? (actor as Person) : person
}

/** The actors who may read each channel, declared by hand. Gus joined the lobby after its first messages. */
const readers: Record<string, readonly Actor[]> = {
  lobby: ['ann', 'bea', 'eli', 'gus', 'cem'],
  side: ['ann', 'bea', 'eli', 'cem'],
  closed: ['bea', 'cem'],
  attic: ['ann', 'bea'],
  direct: ['ann', 'bea'],
  hidden: ['bea', 'cem'],
  notices: ['ann', 'bea', 'eli', 'cem'],
  stored: ['ann', 'bea', 'eli', 'cem'],
  elsewhere: ['zoe'],
  annex: ['zoe'],
}

/** A text that reveals protected content, and the actors who may see it. */
interface Secret {
  text: string
  readers: readonly Actor[]
}

async function readSecrets(base: Fixture, names: Names): Promise<Secret[]> {
  const secrets: Secret[] = [{ text: names['token']!, readers: [] }]
  const whose = new Map(Object.entries(readers).map(([name, whom]) => [names[name]!, whom]))
  for (const [id, whom] of whose) secrets.push({ text: id, readers: whom })
  await base.service(async (s) => {
    const historyStart = await s.value<string>(
      'select history_from_seq from public.channel_members where channel_id = $1 and profile_id = $2',
      [names['lobby'], names['gus']],
    )
    for (const { id, channel, early, body } of await s.rows<{
      id: Uuid
      channel: Uuid
      early: boolean
      body: string
    }>(`select id, channel_id as channel, history_seq < $1 as early, body from public.messages`, [
      historyStart,
    ])) {
      const whom = whose.get(channel)!.filter((name) => name !== 'gus' || !early)
      secrets.push({ text: id, readers: whom })
      if (body.startsWith(BODY_PREFIX)) secrets.push({ text: body, readers: whom })
    }
  })
  return secrets
}

const BODY_PREFIX = 'Only here: '

/** Lets requests roll back by `Prefer: tx=rollback`, which a setting of PostgREST allows. */
async function allowRollbackPreference(base: Fixture, client: PipelinedClient, token: string): Promise<void> {
  await base.service(async (s) => {
    await s.rows(`alter role authenticator set pgrst.db_tx_end = 'commit-allow-override'`)
    await s.rows(`notify pgrst, 'reload config'`)
  }, true)
  for (;;) {
    const { headers } = await client.request('/rest/v1/workspaces', token, {
      headers: { prefer: 'tx=rollback' },
    })
    if (String(headers['preference-applied']).includes('tx=rollback')) return
  }
}

/**
 * Adds to the people of the rules' tests, by Linnet's commands: `attic` is private (Ann, Bea) and Eli left it; in
 * `notices` (public) only admins post; `stored` is an archived public channel; `elsewhere` (public) and `annex`
 * (private) belong to Zoe's workspace. Each has a message by its creator; `gone` was deleted. `bot` is in `side`, with `webhook`, `relay` and
 * the command `ring`, which Bea has entered (`rung`). The
 * pages in `entries/` repeat this.
 */
export async function openPermissionFixture(): Promise<PermissionFixture> {
  const backend = await startBackend()
  const database = { config: () => ({ connectionString: backend.dbUrl }), stop: () => backend.stop() }
  const base = oneAtATime(await openFixture(database))
  try {
    return await addContent(backend, base)
  } catch (error) {
    await base.stop()
    throw error
  }
}

/** Raises the rate limits: one actor sends all rows of the matrix within a minute or two. */
async function raiseRateLimits(base: Fixture): Promise<void> {
  await base.service(
    (s) =>
      s.rows(
        `update public.settings set value = (
           select jsonb_object_agg(key, '{"per_minute": 100000, "burst": 100000}'::jsonb) from jsonb_object_keys(value) key)
         where key = 'rate_limits'`,
      ),
    true,
  )
}

/**
 * Creates the tokens of all actors. Cem has a second factor from now on, and only the second of his sessions has
 * AAL2.
 */
async function tokensOf(backend: Backend, base: Fixture): Promise<Record<Exclude<Actor, 'anon'>, string>> {
  const secret = new TextEncoder().encode(backend.jwtSecret)
  const shown = randomUUID()
  const tokens = { service: backend.serviceRoleKey } as Record<Exclude<Actor, 'anon'>, string>
  for (const actor of [...actors, ...specialActors]) {
    if (actor === 'anon' || actor === 'service') continue
    const account = base.account[personOf(actor)!]
    tokens[actor] = await new SignJWT({
      session_id: actor === 'cem' ? shown : account,
      role: 'authenticated',
      aal: actor === 'cem' ? 'aal2' : 'aal1',
      // The session has just begun.
      amr: [{ method: 'otp', timestamp: Math.floor(Date.now() / 1000) }],
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(account)
      .setAudience('authenticated')
      .setExpirationTime(actor === 'stale' ? '-1d' : '1h')
      .sign(secret)
  }
  await base.service(async (s) => {
    await s.rows(`insert into auth.sessions (id, user_id, aal, created_at) values ($1, $2, 'aal2', now())`, [
      shown,
      base.account.cem,
    ])
  }, true)
  return tokens
}

/**
 * Runs the work on the fixture one after the other. It has one connection, on which concurrent transactions would
 * mix.
 */
function oneAtATime(base: Fixture): Fixture {
  let last: Promise<unknown> = Promise.resolve()
  const afterOthers = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  return {
    ...base,
    rolledBackAs: (name, work) => afterOthers(() => base.rolledBackAs(name, work)),
    committedAs: (name, work) => afterOthers(() => base.committedAs(name, work)),
    service: (work, keep) => afterOthers(() => base.service(work, keep)),
  }
}

async function addContent(backend: Backend, base: Fixture): Promise<PermissionFixture> {
  const { profile } = base
  const other = await base.service((s) =>
    s.value<Uuid>('select workspace_id from public.workspace_members where profile_id = $1', [profile.zoe]),
  )
  const tokens = await tokensOf(backend, base)
  const ids = Object.fromEntries(
    ['attic', 'notices', 'stored', 'elsewhere', 'annex'].map((name) => [name, randomUUID()]),
  ) as Record<'attic' | 'notices' | 'stored' | 'elsewhere' | 'annex', Uuid>
  const messageIds: Record<string, Uuid> = {}
  const by = <N extends CommandName>(who: Name, name: N, args: Commands[N]['args']) =>
    base.committedAs(who, (s) => s.call(name, args))
  const post = async (
    who: Name,
    name: string,
    channel: Uuid,
    rest: { thread_root?: Uuid; extras?: MessageExtras } = {},
  ): Promise<Uuid> => {
    const id = randomUUID()
    await by(who, 'send_message', { id, channel, body: BODY_PREFIX + name, ...rest })
    messageIds[name] = id
    return id
  }
  const { workspace } = base
  await by('ann', 'create_channel', { id: ids.attic, workspace, kind: 'private', name: 'The attic' })
  await by('ann', 'add_members', { channel: ids.attic, people: [profile.bea, profile.eli] })
  await post('ann', 'dust', ids.attic)
  await by('eli', 'leave_channel', { channel: ids.attic })
  await by('ann', 'create_channel', { id: ids.notices, workspace, kind: 'public', name: 'Notices' })
  await by('ann', 'add_members', { channel: ids.notices, people: [profile.bea] })
  await by('ann', 'update_channel', { channel: ids.notices, posting: 'admins' })
  await post('ann', 'notice', ids.notices)
  await by('ann', 'create_channel', { id: ids.stored, workspace, kind: 'public', name: 'Last year' })
  await by('ann', 'add_members', { channel: ids.stored, people: [profile.bea] })
  await post('ann', 'past', ids.stored)
  await by('zoe', 'create_channel', { id: ids.elsewhere, workspace: other, kind: 'public', name: 'Ours' })
  await post('zoe', 'far', ids.elsewhere)
  await by('zoe', 'create_channel', { id: ids.annex, workspace: other, kind: 'private', name: 'Annex' })
  await post('zoe', 'farther', ids.annex)
  await post('bea', 'loud', base.side)
  await post('cem', 'hush', base.closed)
  await post('bea', 'hint', base.closed, { thread_root: messageIds['hush']! })
  const poll = { options: ['Yes', 'No'], multiple: false, anonymous: false, closes_at: null }
  await post('bea', 'ballot', base.lobby, { extras: { poll } })
  await by('bea', 'react', { message: base.messages.fresh, emoji: '👀', on: true })
  await post('bea', 'gone', base.lobby)
  await by('bea', 'delete_message', { id: messageIds['gone']! })
  const invitation = await by('ann', 'create_invitation', {
    workspace,
    role: 'member',
    channels: [base.side],
  })
  await by('ann', 'invite_by_mail', {
    workspace,
    emails: ['pupil@school.example'],
    role: 'member',
    channels: [base.side],
  })
  const { invitations } = await by('ann', 'list_invitations', { workspace })
  const mailed = invitations.find(({ email }) => email === 'pupil@school.example')!
  const notice = { id: messageIds['notice']!, body: `${BODY_PREFIX}notice`, edit: randomUUID() }
  await by('ann', 'edit_message', notice)
  await by('bea', 'heartbeat', { workspace, state: 'active' })
  // It has ended the expired membership of Max, with his session; he has signed in again.
  await base.service(
    (s) =>
      s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
        base.account.max,
      ]),
    true,
  )
  await by('ann', 'archive_channel', { channel: ids.stored, on: true })
  const [section, otherSection] = [randomUUID(), randomUUID()]
  for (const [who, id, place] of [
    ['bea', section, workspace],
    ['zoe', otherSection, other],
  ] as const) {
    await base.committedAs(who, (s) =>
      s.rows(`insert into public.sections (id, workspace_id, name, position) values ($1, $2, 'Mine', 1)`, [
        id,
        place,
      ]),
    )
  }
  const [planned, otherPlanned] = [randomUUID(), randomUUID()]
  for (const [who, id, channel] of [
    ['bea', planned, base.lobby],
    ['zoe', otherPlanned, ids.elsewhere],
  ] as const) {
    const send_at = new Date(Date.now() + 86_400_000).toISOString()
    await by(who, 'schedule_message', { id, channel, body: `${BODY_PREFIX}later`, send_at })
  }
  const [reminder, otherReminder] = [randomUUID(), randomUUID()]
  for (const [who, id, place] of [
    ['bea', reminder, workspace],
    ['zoe', otherReminder, other],
  ] as const) {
    const due_at = new Date(Date.now() + 86_400_000).toISOString()
    await by(who, 'set_reminder', { id, workspace: place, text: 'Water', due_at, time_zone: 'UTC' })
  }
  const [search, otherSearch] = [randomUUID(), randomUUID()]
  for (const [who, id, place] of [
    ['bea', search, workspace],
    ['zoe', otherSearch, other],
  ] as const) {
    await base.committedAs(who, (s) =>
      s.rows(
        `insert into public.saved_searches (id, workspace_id, name, query) values ($1, $2, 'Mine', 'x')`,
        [id, place],
      ),
    )
  }
  await base.committedAs('bea', (s) =>
    s.rows('insert into public.notification_preferences (workspace_id, shares_reads) values ($1, true)', [
      workspace,
    ]),
  )
  const application = randomUUID()
  await base.service(
    (s) =>
      s.rows(
        `insert into auth.oauth_clients (id, client_type, registration_type, redirect_uris, grant_types,
           token_endpoint_auth_method)
         values ($1, 'public', 'manual', 'https://app.example/', 'authorization_code', 'none')`,
        [application],
      ),
    true,
  )
  await base.committedAs('bea', (s) =>
    s.rows('insert into public.application_grants (client_id, scopes) values ($1, $2)', [application, []]),
  )
  const [emoji, otherEmoji] = [randomUUID(), randomUUID()]
  await base.service(
    (s) =>
      s.rows(
        `insert into public.custom_emoji (id, workspace_id, name, author_id)
         values ($1, $2, 'crest', $3), ($4, $5, 'badge', $6)`,
        [emoji, workspace, profile.ann, otherEmoji, other, profile.zoe],
      ),
    true,
  )
  const [crew, otherCrew, cast] = [randomUUID(), randomUUID(), randomUUID()]
  await base.service(
    (s) =>
      s.rows(
        `with groups as (
           insert into public.user_groups (id, workspace_id, name, created_by)
           values ($1, $2, 'Crew', $3), ($4, $5, 'Crew', $6), ($7, $2, 'Cast', $3) returning id, workspace_id, created_by
         )
         insert into public.user_group_members (group_id, workspace_id, profile_id)
         select g.id, g.workspace_id, g.created_by from groups g where g.id <> $7`,
        [crew, workspace, profile.ann, otherCrew, other, profile.zoe, cast],
      ),
    true,
  )
  const [request, otherRequest] = [randomUUID(), randomUUID()]
  await base.service(async (s) => {
    await s.rows(
      `insert into public.workspace_domains (workspace_id, domain, admission)
       values ($1, 'harbour.example', 'join'), ($2, 'harbour.example', 'request')`,
      [workspace, other],
    )
    await s.rows(`insert into public.default_channels (workspace_id, channel_id) values ($1, $2)`, [
      workspace,
      base.lobby,
    ])
    await s.rows(
      `insert into public.join_requests (id, workspace_id, profile_id, email)
       values ($1, $2, $3, 'zoe@harbour.example'), ($4, $5, $6, 'bea@harbour.example')`,
      [request, workspace, profile.zoe, otherRequest, other, profile.bea],
    )
  }, true)
  await by('bea', 'save_draft', { id: randomUUID(), channel: base.lobby, body: `${BODY_PREFIX}draft` })
  await by('bea', 'save_message', { message: base.messages.fresh, state: 'saved' })
  await by('zoe', 'save_message', { message: messageIds['far']!, state: 'saved' })
  await by('zoe', 'save_draft', { id: randomUUID(), channel: ids.elsewhere, body: `${BODY_PREFIX}draft` })
  const phone = randomUUID()
  await by('bea', 'add_push_subscription', {
    id: phone,
    endpoint: 'https://fcm.googleapis.com/phone',
    p256dh: `B${'A'.repeat(86)}`,
    auth: 'A'.repeat(22),
    device: 'Phone',
    language: 'en',
  })
  // The push service would respond that it does not know the device, which removes it.
  await base.service(async (s) => {
    await s.rows(
      `update public.push_subscriptions set endpoint = 'https://push.invalid/phone' where id = $1`,
      [phone],
    )
  }, true)
  const [marked, markedClosed] = [randomUUID(), randomUUID()]
  const link = { title: 'Rota', url: 'https://rota.example' }
  await by('bea', 'add_bookmark', { id: marked, channel: base.lobby, ...link })
  await by('bea', 'add_bookmark', { id: markedClosed, channel: base.closed, ...link })
  const shown = randomUUID()
  await base.service(async (s) => {
    await s.rows(
      `insert into public.link_previews (id, url, content, fetched_at) values ($1, 'https://a.example/', '{}', now())`,
      [shown],
    )
    await s.rows(
      `insert into public.message_previews (message_id, preview_id, position) values ($1, $2, 1)`,
      [base.messages.secret, shown],
    )
  }, true)
  await by('ann', 'set_workspace_options', { workspace, read_receipts: 'everyone' })
  const hidden = await by('bea', 'open_direct', { workspace, people: [profile.cem] })

  const bot = await by('ann', 'create_bot', {
    id: randomUUID(),
    workspace,
    name: 'Bell',
    channels: [base.side],
  })
  const { webhook } = await by('ann', 'create_incoming_webhook', { bot: bot.id, channel: base.side })
  const relay = await by('ann', 'create_outgoing_webhook', {
    bot: bot.id,
    channel: base.side,
    url: 'https://relay.example/',
  })
  await by('ann', 'create_bot_token', { bot: bot.id, days: 7 })
  const ring = await by('ann', 'create_bot_command', {
    bot: bot.id,
    name: 'ring',
    description: 'Rings',
    url: 'https://relay.example/ring',
  })
  const [report, otherReport] = [randomUUID(), randomUUID()]
  await by('eli', 'report_message', { id: report, message: messageIds['loud']! })
  await base.service(
    (s) =>
      s.rows(`insert into public.reports (id, workspace_id, channel_kind) values ($1, $2, 'public')`, [
        otherReport,
        other,
      ]),
    true,
  )
  await by('ann', 'silence_member', { workspace, person: profile.max, minutes: 60, reason: 'Rude' })
  await by('bea', 'block_person', { person: profile.max })
  const rung = randomUUID()
  const rings = { channel: base.side, name: 'ring', text: `${BODY_PREFIX}ring` }
  await by('bea', 'invoke_command', { id: rung, ...rings })
  // A member whose account nobody has used.
  const unused = await base.service(async (s) => {
    const account = randomUUID()
    await s.rows(
      `insert into auth.users (instance_id, id, aud, role, email, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', 'unused@elsewhere.example', now(), now())`,
      [account],
    )
    const person = await s.value<string>(
      `insert into public.profiles (user_id, name) values ($1, 'Uma') returning id`,
      [account],
    )
    await s.rows(
      `insert into public.workspace_members (workspace_id, profile_id, role) values ($1, $2, 'member')`,
      [other, person],
    )
    return person
  }, true)
  const [moved, farMoved, nia] = [randomUUID(), randomUUID(), randomUUID()]
  await base.service(async (s) => {
    await s.rows(
      `insert into public.imports (id, workspace_id, product, source_name)
       values ($1, $2, 'slack', 'Pier'), ($3, $4, 'slack', 'Pier')`,
      [moved, workspace, farMoved, other],
    )
    await s.rows(`insert into public.profiles (id, kind, name) values ($1, 'imported', 'Nia')`, [nia])
    await s.rows(
      'insert into public.imported_people (profile_id, workspace_id, import_id) values ($1, $2, $3)',
      [nia, workspace, moved],
    )
  }, true)
  const names: Names = {
    ...profile,
    ...ids,
    ...messageIds,
    ...base.messages,
    workspace,
    other,
    lobby: base.lobby,
    side: base.side,
    closed: base.closed,
    direct: base.direct,
    hidden: hidden.channel.id,
    section,
    shelf: otherSection,
    application,
    search,
    far_search: otherSearch,
    reminder,
    far_reminder: otherReminder,
    report,
    far_report: otherReport,
    planned,
    far_planned: otherPlanned,
    crest: emoji,
    badge: otherEmoji,
    request,
    far_request: otherRequest,
    crew,
    far_crew: otherCrew,
    cast,
    shown,
    marked,
    marked_closed: markedClosed,
    account: base.account.bea,
    bot: bot.id,
    webhook: webhook.id,
    relay: relay.webhook.id,
    phone,
    ring: ring.command.id,
    rung,
    invitation: invitation.id,
    token: invitation.token,
    mailed: mailed.id,
    unused,
    moved,
    far_moved: farMoved,
    nia,
  }
  await base.service(
    (s) =>
      s.rows(
        `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
         values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
        [base.account.cem],
      ),
    true,
  )
  const secrets = await readSecrets(base, names)
  const client = new PipelinedClient(backend.localUrl, backend.publishableKey)
  await allowRollbackPreference(base, client, tokens.ann)
  await raiseRateLimits(base)
  return {
    backend,
    base,
    client,
    namesFor(actor) {
      const person = personOf(actor)
      return { ...names, me: person === null ? randomUUID() : profile[person] }
    },
    token: (actor) => (actor === 'anon' ? null : tokens[actor]),
    secretsFrom: (actor) =>
      actor === 'service'
        ? []
        : secrets.filter(({ readers }) => !readers.includes(actor)).map(({ text }) => text),
    async stop() {
      client.close()
      await base.stop()
    },
  }
}
