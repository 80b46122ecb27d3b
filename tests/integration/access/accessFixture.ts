import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { Client } from 'pg'
import type { Uuid } from '../../../wire/scalars.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, bring, call, foundWorkspace, signInAgain, signUp } from '../../support/people.ts'

const names = ['ann', 'bea', 'gus', 'omar', 'eli', 'dee', 'max', 'sid'] as const
export type Name = (typeof names)[number]

/** People for whom the private channel does not exist, whatever they were before. */
export const outsiders: Name[] = ['omar', 'eli', 'dee', 'max', 'sid', 'gus', 'ann']

/**
 * Ann owns the workspace and is not in `partners`; Bea is a member of everything; Gus is a guest of `annex`
 * since after its message `early`. Omar has only an account. Eli was removed from `partners`, Dee deactivated,
 * Max was a guest of `annex` whose access has expired, Sid's session was ended but his token has not expired.
 */
export interface AccessFixture {
  backend: Backend
  admin: SupabaseClient
  people: Record<Name, SupabaseClient>
  /** Access tokens that have not expired. */
  tokens: Record<Name, string>
  /** Omar has none. */
  profiles: Record<Exclude<Name, 'omar'>, Uuid>
  workspace: Uuid
  lobby: Uuid
  /** Private: Bea, and formerly Eli, Dee and Sid. */
  partners: Uuid
  /** Private: Ann, Bea, Gus; formerly Max. */
  annex: Uuid
  /** Bea and Eli. */
  direct: Uuid
  messages: { open: Uuid; secret: Uuid; early: Uuid; late: Uuid; whisper: Uuid }
  /** Of Bea's file in `partners`. */
  path: string
  invitation: { id: Uuid; token: string }
}

/** The content of the file. */
export const contents = 'The accounts of the partners'

/** The access token of a client. */
export async function tokenOf(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getSession()
  return data.session!.access_token
}

/** The claims of a token, changed and signed with `secret` as HS256. */
export function forge(token: string, changes: Record<string, unknown>, secret: string): Promise<string> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object
  return new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(secret))
}

/** Uploads a text to `files` and attaches it to `message`; returns its path. */
export async function postFile(
  person: SupabaseClient,
  o: { channel: Uuid; message: Uuid; body: string },
): Promise<string> {
  const upload = randomUUID()
  const path = `${o.channel}/${upload}/file`
  const { error } = await person.storage
    .from('files')
    .upload(path, new Blob([contents], { type: 'text/plain' }))
  if (error) throw error
  await call(person, 'send_message', {
    id: o.message,
    channel: o.channel,
    body: o.body,
    attachments: [{ id: upload, name: 'accounts.txt', width: null, height: null, thumb: false }],
  })
  return path
}

/** Adds reactions, pins, replies and mentions to a message. */
async function addReactionsAndReplies(
  bea: SupabaseClient,
  ann: SupabaseClient | null,
  o: { channel: Uuid; message: Uuid; calls: Uuid },
) {
  const path = await postFile(bea, { ...o, body: 'Orchids, first words' })
  await call(bea, 'edit_message', { id: o.message, body: `Orchids for <@${o.calls}> and <!channel>` })
  await call(bea, 'pin_message', { message: o.message, on: true })
  await call(ann ?? bea, 'react', { message: o.message, emoji: '👀', on: true })
  await call(bea, 'send_message', {
    id: randomUUID(),
    channel: o.channel,
    body: 'A reply on orchids',
    thread_root: o.message,
  })
  return path
}

/**
 * Stops the job that ends expired memberships. Their rights end by the time alone, which is what the tests show; the job
 * would change their channel's epoch at the next full minute, in the middle of some test.
 */
async function keepExpiredMemberships(dbUrl: string): Promise<void> {
  const db = new Client(dbUrl)
  await db.connect()
  await db.query(`select cron.unschedule('linnet: end what has expired')`)
  await db.end()
}

async function nameProfiles(admin: SupabaseClient): Promise<AccessFixture['profiles']> {
  const { data, error } = await admin.from('profiles').select('id, name')
  if (error) throw error
  return Object.fromEntries(
    data.map(({ id, name }) => [name === 'Ann Okafor' ? 'ann' : name, id]),
  ) as AccessFixture['profiles']
}

/** Starts a backend and creates all people and their memberships. */
export async function openAccessFixture(): Promise<AccessFixture> {
  const backend = await startBackend()
  await keepExpiredMemberships(backend.dbUrl)
  const admin = adminOf(backend)
  const { ann, workspace, channel: lobby } = await foundWorkspace(backend)
  const [annex, partners] = [randomUUID(), randomUUID()]
  await call(ann, 'create_channel', { id: annex, workspace, kind: 'private', name: 'annex' })
  const join = (name: Name, channels: Uuid[], role: 'member' | 'guest' = 'member') =>
    bring(backend, ann, { workspace, channels, name, role })
  const bea = await join('bea', [lobby, annex])
  const [eli, sid] = [await join('eli', [lobby]), await join('sid', [lobby])]
  await join('dee', [lobby])
  let profiles = await nameProfiles(admin)
  await call(bea, 'create_channel', { id: partners, workspace, kind: 'private', name: 'partners' })
  await call(bea, 'add_members', { channel: partners, people: [profiles.eli, profiles.dee, profiles.sid] })
  const messages = {
    open: randomUUID(),
    secret: randomUUID(),
    early: randomUUID(),
    late: randomUUID(),
    whisper: randomUUID(),
  }
  await addReactionsAndReplies(bea, ann, { channel: lobby, message: messages.open, calls: profiles.ann })
  await addReactionsAndReplies(bea, ann, { channel: annex, message: messages.early, calls: profiles.ann })
  const path = await addReactionsAndReplies(bea, null, {
    channel: partners,
    message: messages.secret,
    calls: profiles.eli,
  })
  const gus = await join('gus', [annex], 'guest')
  const max = await join('max', [annex], 'guest')
  profiles = await nameProfiles(admin)
  await addReactionsAndReplies(bea, ann, { channel: annex, message: messages.late, calls: profiles.gus })
  const direct = (await call(bea, 'open_direct', { workspace, people: [profiles.eli] })).channel.id
  await call(bea, 'send_message', { id: messages.whisper, channel: direct, body: 'Orchids, whispered' })
  const invitation = await call(ann, 'create_invitation', { workspace, role: 'member', channels: [annex] })

  await call(bea, 'remove_member', { channel: partners, person: profiles.eli })
  await call(ann, 'deactivate_member', { workspace, person: profiles.dee })
  const { error: late } = await admin
    .from('workspace_members')
    .update({ expires_at: new Date(Date.now() - 1000).toISOString() })
    .eq('profile_id', profiles.max)
  if (late) throw late
  const people = {
    ann,
    bea,
    gus,
    omar: await signUp(backend, 'omar'),
    eli,
    // Deactivation ended her session.
    dee: await signInAgain(backend, 'dee'),
    max,
    sid,
  }
  const tokens = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await tokenOf(people[name])])),
  ) as AccessFixture['tokens']
  const { error: stays } = await (await signInAgain(backend, 'sid')).auth.signOut({ scope: 'global' })
  if (stays) throw stays
  return {
    backend,
    admin,
    people,
    tokens,
    profiles,
    workspace,
    lobby,
    partners,
    annex,
    direct,
    messages,
    path,
    invitation,
  }
}

/** A request with that bearer token; without one for null. */
export function request(
  { backend }: Pick<AccessFixture, 'backend'>,
  path: string,
  token: string | null,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${backend.url}${path}`, {
    ...init,
    headers: {
      apikey: backend.publishableKey,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
      ...init.headers,
    },
  })
}
