import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { openWorld, type Name, type World } from '../../supabase/tests/support/world.ts'
import type { CommandName, Commands, Uuid } from '../../wire/linnet.ts'
import { startBackend, type Backend } from '../support/backend.ts'
import { Asker } from './Asker.ts'
import type { Names } from './given.ts'
import { actors, guises, type Actor } from './readRows.ts'

/** The people of the rules' own world, in a whole backend, with what the cells try to get at. */
export interface MatrixWorld {
  backend: Backend
  world: World
  asker: Asker
  /** What cells call by name, as this actor; `me` is their profile. */
  namesFor(actor: Actor): Names
  token(actor: Actor): string | null
  /** What must never stand in an answer to this actor. */
  secretsFrom(actor: Actor): string[]
  stop(): Promise<void>
}

type Person = Exclude<Actor, 'anon' | 'half' | 'stale' | 'service'>
const disguised: Partial<Record<Actor, Person | null>> = {
  anon: null,
  half: 'cem',
  stale: 'bea',
  service: null,
}
export const personOf = (actor: Actor): Person | null => {
  const person = disguised[actor]
  return person === undefined ? (actor as Person) : person
}

/** Who reads what is said where, told once by hand; Gus came to the lobby after its first messages. */
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

/** Something that tells of what is behind a wall, and before whom it may stand. */
interface Mark {
  mark: string
  whom: readonly Actor[]
}

async function marksOf(world: World, names: Names): Promise<Mark[]> {
  const marks: Mark[] = [{ mark: names['token']!, whom: [] }]
  const whose = new Map(Object.entries(readers).map(([name, whom]) => [names[name]!, whom]))
  for (const [id, whom] of whose) marks.push({ mark: id, whom })
  await world.service(async (s) => {
    const floor = await s.value<string>(
      'select history_from_seq from public.channel_members where channel_id = $1 and profile_id = $2',
      [names['lobby'], names['gus']],
    )
    for (const { id, channel, early, body } of await s.rows<{
      id: Uuid
      channel: Uuid
      early: boolean
      body: string
    }>(`select id, channel_id as channel, base_seq < $1 as early, body from public.messages`, [floor])) {
      const whom = whose.get(channel)!.filter((name) => name !== 'gus' || !early)
      marks.push({ mark: id, whom })
      if (body.startsWith(SAID)) marks.push({ mark: body, whom })
    }
  })
  return marks
}

const SAID = 'Only here: '

/** Lets a request ask that all it did be taken back, as a setting of the service allows. */
async function letTrialsBe(world: World, asker: Asker, token: string): Promise<void> {
  await world.service(async (s) => {
    await s.rows(`alter role authenticator set pgrst.db_tx_end = 'commit-allow-override'`)
    await s.rows(`notify pgrst, 'reload config'`)
  }, true)
  for (;;) {
    const { headers } = await asker.ask('/rest/v1/workspaces', token, { headers: { prefer: 'tx=rollback' } })
    if (String(headers['preference-applied']).includes('tx=rollback')) return
  }
}

/**
 * Adds to the rules' world, by its own commands: in `attic` (private; Ann, Bea) Eli was and left; in `notices`
 * (public) admins alone post; `stored` is a public channel in the archive; `elsewhere` (public) and `annex`
 * (private) are of Zoe's workspace. Each has a message by the one who made it; `gone` was deleted. Everything is
 * written for the cells, whose pages in `cells/` tell it again.
 */
export async function openMatrixWorld(): Promise<MatrixWorld> {
  const backend = await startBackend()
  const home = { config: () => ({ connectionString: backend.dbUrl }), stop: () => backend.stop() }
  const world = oneAtATime(await openWorld(home))
  try {
    return await furnish(backend, world)
  } catch (error) {
    await world.stop()
    throw error
  }
}

/** The tokens of everyone who tries; Cem's second factor is there from now on, and only his second session has shown it. */
async function tokensOf(backend: Backend, world: World): Promise<Record<Exclude<Actor, 'anon'>, string>> {
  const secret = new TextEncoder().encode(backend.jwtSecret)
  const shown = randomUUID()
  const tokens = { service: backend.serviceRoleKey } as Record<Exclude<Actor, 'anon'>, string>
  for (const actor of [...actors, ...guises]) {
    if (actor === 'anon' || actor === 'service') continue
    const account = world.account[personOf(actor)!]
    tokens[actor] = await new SignJWT({
      session_id: actor === 'cem' ? shown : account,
      role: 'authenticated',
      aal: actor === 'cem' ? 'aal2' : 'aal1',
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(account)
      .setAudience('authenticated')
      .setExpirationTime(actor === 'stale' ? '-1d' : '1h')
      .sign(secret)
  }
  await world.service(async (s) => {
    await s.rows(`insert into auth.sessions (id, user_id, aal, created_at) values ($1, $2, 'aal2', now())`, [
      shown,
      world.account.cem,
    ])
  }, true)
  return tokens
}

/** The world has one connection, on which transactions of several trials would mix. */
function oneAtATime(world: World): World {
  let last: Promise<unknown> = Promise.resolve()
  const afterOthers = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  return {
    ...world,
    as: (name, work) => afterOthers(() => world.as(name, work)),
    by: (name, work) => afterOthers(() => world.by(name, work)),
    service: (work, keep) => afterOthers(() => world.service(work, keep)),
  }
}

async function furnish(backend: Backend, world: World): Promise<MatrixWorld> {
  const { profile } = world
  const other = await world.service((s) =>
    s.value<Uuid>('select workspace_id from public.workspace_members where profile_id = $1', [profile.zoe]),
  )
  const tokens = await tokensOf(backend, world)
  const ids = Object.fromEntries(
    ['attic', 'notices', 'stored', 'elsewhere', 'annex'].map((name) => [name, randomUUID()]),
  ) as Record<'attic' | 'notices' | 'stored' | 'elsewhere' | 'annex', Uuid>
  const said: Record<string, Uuid> = {}
  const by = <N extends CommandName>(who: Name, name: N, args: Commands[N]['args']) =>
    world.by(who, (s) => s.call(name, args))
  const say = async (who: Name, name: string, channel: Uuid, root: Uuid | null = null): Promise<Uuid> => {
    const id = randomUUID()
    await by(who, 'send_message', { id, channel, body: SAID + name, thread_root: root })
    said[name] = id
    return id
  }
  const { workspace } = world
  await by('ann', 'create_channel', { id: ids.attic, workspace, kind: 'private', name: 'The attic' })
  await by('ann', 'add_members', { channel: ids.attic, people: [profile.bea, profile.eli] })
  await say('ann', 'dust', ids.attic)
  await by('eli', 'leave_channel', { channel: ids.attic })
  await by('ann', 'create_channel', { id: ids.notices, workspace, kind: 'public', name: 'Notices' })
  await by('ann', 'add_members', { channel: ids.notices, people: [profile.bea] })
  await by('ann', 'update_channel', { channel: ids.notices, posting: 'admins' })
  await say('ann', 'notice', ids.notices)
  await by('ann', 'create_channel', { id: ids.stored, workspace, kind: 'public', name: 'Last year' })
  await by('ann', 'add_members', { channel: ids.stored, people: [profile.bea] })
  await say('ann', 'past', ids.stored)
  await by('zoe', 'create_channel', { id: ids.elsewhere, workspace: other, kind: 'public', name: 'Ours' })
  await say('zoe', 'far', ids.elsewhere)
  await by('zoe', 'create_channel', { id: ids.annex, workspace: other, kind: 'private', name: 'Annex' })
  await say('zoe', 'farther', ids.annex)
  await say('bea', 'loud', world.side)
  await say('cem', 'hush', world.closed)
  await say('bea', 'hint', world.closed, said['hush']!)
  await by('bea', 'react', { message: world.messages.fresh, emoji: '👀', on: true })
  await say('bea', 'gone', world.lobby)
  await by('bea', 'delete_message', { id: said['gone']! })
  const invitation = await by('ann', 'create_invitation', {
    workspace,
    role: 'member',
    channels: [world.side],
  })
  const notice = { id: said['notice']!, body: `${SAID}notice`, edit: randomUUID() }
  await by('ann', 'edit_message', notice)
  await by('bea', 'beat', { workspace, state: 'active' })
  await by('ann', 'archive_channel', { channel: ids.stored, on: true })
  const [section, shelf] = [randomUUID(), randomUUID()]
  for (const [who, id, place] of [
    ['bea', section, workspace],
    ['zoe', shelf, other],
  ] as const) {
    await world.by(who, (s) =>
      s.rows(`insert into public.sections (id, workspace_id, name, position) values ($1, $2, 'Mine', 1)`, [
        id,
        place,
      ]),
    )
  }
  const hidden = await by('bea', 'open_direct', { workspace, people: [profile.cem] })

  const names: Names = {
    ...profile,
    ...ids,
    ...said,
    ...world.messages,
    workspace,
    other,
    lobby: world.lobby,
    side: world.side,
    closed: world.closed,
    direct: world.direct,
    hidden: hidden.channel.id,
    section,
    shelf,
    account: world.account.bea,
    invitation: invitation.id,
    token: invitation.token,
  }
  await world.service(
    (s) =>
      s.rows(
        `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
         values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
        [world.account.cem],
      ),
    true,
  )
  const marks = await marksOf(world, names)
  const asker = new Asker(backend.localUrl, backend.publishableKey)
  await letTrialsBe(world, asker, tokens.ann)
  return {
    backend,
    world,
    asker,
    namesFor(actor) {
      const person = personOf(actor)
      return { ...names, me: person === null ? randomUUID() : profile[person] }
    },
    token: (actor) => (actor === 'anon' ? null : tokens[actor]),
    secretsFrom: (actor) =>
      actor === 'service' ? [] : marks.filter(({ whom }) => !whom.includes(actor)).map(({ mark }) => mark),
    async stop() {
      asker.close()
      await world.stop()
    },
  }
}
