import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { RunningServer } from '../../backend/startup/runningServer.ts'
import type { CommandName, Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { createRandom } from '../support/random.ts'
import type { Random } from '../support/random.ts'
import { post } from './post.ts'
import type { PostResult, ConnectionFault } from './post.ts'

/** A signed-in person who sends plain requests. */
export interface TestClient {
  name: string
  profile: Uuid
  random: Random
  post: (name: CommandName, args: object, fault?: ConnectionFault) => Promise<PostResult>
  /** As `post`, but returns the result and throws failures. */
  run: <N extends CommandName>(name: N, args: Commands[N]['args']) => Promise<Commands[N]['response']>
}

/** Creates an account with a session, without the cost of password hashing. */
async function createTestClient(
  server: RunningServer,
  admin: Pool,
  name: string,
  random: Random,
): Promise<TestClient> {
  const account = randomUUID()
  const session = randomUUID()
  await admin.query({
    text: `with account as (
             insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
             values ($1, 'authenticated', 'authenticated', $2, now(), now()) returning id)
           insert into auth.sessions (id, user_id, created_at) select $3, id, now() from account`,
    values: [account, `${name}@harbour.example`, session],
  })
  const token = await new SignJWT({ role: 'authenticated', session_id: session })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(account)
    .setAudience('authenticated')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(server.jwtSecret))
  const headers = { apikey: server.publishableKey, authorization: `Bearer ${token}` }
  const client: TestClient = {
    name,
    profile: '',
    random,
    post: (command, args, fault) =>
      post(`${server.url}/rest/v1/rpc/${command}`, headers, args, random, fault),
    run: async (command, args) => {
      const { status, body } = await client.post(command, args)
      if (status !== 200) throw new Error(`${command} as ${name}: ${status} ${JSON.stringify(body)}`)
      return body as never
    },
  }
  return client
}

/** Founds a workspace with its first channel and `count` members; the first is its owner. `seed` determines their random
 * values. */
export async function createPeople(
  server: RunningServer,
  admin: Pool,
  count: number,
  seed: number,
): Promise<{ workspace: Uuid; lobby: Uuid; people: TestClient[] }> {
  if (server.setupUrl === null) throw new Error('This workspace is founded already.')
  // These tests send faster than a person does.
  await admin.query(`delete from public.settings where key = 'rate_limits'`)
  const token = new URLSearchParams(new URL(server.setupUrl).hash.slice(1)).get('token')!
  const owner = await createTestClient(server, admin, 'person-0', createRandom(seed))
  const created = await owner.run('found_workspace', {
    token,
    workspace_name: 'Harbour Street',
    channel_name: 'front desk',
    person_name: owner.name,
  })
  owner.profile = created.profile.id
  const workspace = created.workspace.id
  const lobby = created.channel_id
  const invitation = await owner.run('create_invitation', {
    workspace,
    role: 'member',
    channels: [lobby],
    max_uses: Math.max(1, count),
  })
  const people = [owner]
  for (let index = 1; index < count; index += 1) {
    const one = await createTestClient(server, admin, `person-${index}`, createRandom(seed + index))
    const accepted = await one.run('accept_invitation', { token: invitation.token, person_name: one.name })
    one.profile = accepted.profile.id
    people.push(one)
  }
  return { workspace, lobby, people }
}
