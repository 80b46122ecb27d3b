import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import type { Running } from '../../backend/startup/running.ts'
import type { CommandName, Commands, Uuid } from '../../wire/linnet.ts'
import { post } from './post.ts'
import type { Answered, Mishap } from './post.ts'

/** Someone who is signed in, asking as a page does: by plain requests. */
export interface Asker {
  name: string
  profile: Uuid
  ask: (name: CommandName, args: object, mishap?: Mishap) => Promise<Answered>
  /** As `ask`; throws what is not a success. */
  must: <N extends CommandName>(name: N, args: Commands[N]['args']) => Promise<Commands[N]['answer']>
}

/** An account with a session, without the cost of passwords. */
async function signedIn(home: Running, admin: Pool, name: string): Promise<Asker> {
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
    .sign(new TextEncoder().encode(home.jwtSecret))
  const headers = { apikey: home.publishableKey, authorization: `Bearer ${token}` }
  const asker: Asker = {
    name,
    profile: '',
    ask: (command, args, mishap) => post(`${home.url}/rest/v1/rpc/${command}`, headers, args, mishap),
    must: async (command, args) => {
      const { status, body } = await asker.ask(command, args)
      if (status !== 200) throw new Error(`${command} as ${name}: ${status} ${JSON.stringify(body)}`)
      return body as never
    },
  }
  return asker
}

/** A founded workspace with its first channel, and so many people who are all in it; the first owns it. */
export async function gather(
  home: Running,
  admin: Pool,
  count: number,
): Promise<{ workspace: Uuid; lobby: Uuid; people: Asker[] }> {
  if (home.setupUrl === null) throw new Error('This workspace is founded already.')
  // What is asked here is numbers and order under more load than one person makes.
  await admin.query(`delete from public.settings where key = 'rate_limits'`)
  const token = new URLSearchParams(new URL(home.setupUrl).hash.slice(1)).get('token')!
  const owner = await signedIn(home, admin, 'person-0')
  const founded = await owner.must('found_workspace', {
    token,
    workspace_name: 'Harbour Street',
    channel_name: 'front desk',
    person_name: owner.name,
  })
  owner.profile = founded.profile.id
  const workspace = founded.workspace.id
  const lobby = founded.channel_id
  const invitation = await owner.must('create_invitation', {
    workspace,
    role: 'member',
    channels: [lobby],
    max_uses: Math.max(1, count),
  })
  const people = [owner]
  for (let index = 1; index < count; index += 1) {
    const one = await signedIn(home, admin, `person-${index}`)
    const accepted = await one.must('accept_invitation', { token: invitation.token, person_name: one.name })
    one.profile = accepted.profile.id
    people.push(one)
  }
  return { workspace, lobby, people }
}
