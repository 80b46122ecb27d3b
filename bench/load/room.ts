import { SignJWT } from 'jose'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from 'pg'
import type { Running } from '../../backend/running.ts'
import { rawReader, type RawReader } from './rawReader.ts'

export const topic = 'channel:bench'

/** A supabase folder whose only room is open to its members by a policy. */
export function writeRoom(dir: string): void {
  mkdirSync(join(dir, 'migrations'), { recursive: true })
  writeFileSync(join(dir, 'config.toml'), 'project_id = "fanout"\n')
  writeFileSync(
    join(dir, 'migrations', '20260101000000_room.sql'),
    `create table public.members (topic text not null, user_id uuid not null, primary key (topic, user_id));
     alter table public.members enable row level security;
     create schema app;
     grant usage on schema app to authenticated;
     create function app.my_topics() returns setof text language sql stable security definer set search_path = ''
       as $$ select topic from public.members where user_id = (select auth.uid()) $$;
     grant execute on function app.my_topics() to authenticated;
     create policy "members listen" on realtime.messages for select to authenticated
       using (extension = 'broadcast' and (select realtime.topic()) in (select app.my_topics()));`,
  )
}

export interface Member {
  token: string
}

/** People with a token and a place in the room. */
export async function makeMembers(server: Running, pool: Pool, count: number): Promise<Member[]> {
  const secret = new TextEncoder().encode(server.jwtSecret)
  const ids = Array.from({ length: count }, () => randomUUID())
  await pool.query('insert into public.members (topic, user_id) select $1, unnest($2::uuid[])', [topic, ids])
  return Promise.all(
    ids.map(async (sub) => ({
      token: await new SignJWT({ sub, role: 'authenticated', aud: 'authenticated' })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(secret),
    })),
  )
}

export interface Listener {
  reader: RawReader
  /** Resolves once the topic is joined; rejects where the server refused. */
  join(): Promise<void>
}

/** A member's socket. `onMessage` gets the event's name of each broadcast that arrives. */
export async function listen(
  server: Running,
  member: Member,
  onMessage: (event: string) => void,
): Promise<Listener> {
  let answer: (error: Error | null) => void = () => {}
  const reader = await rawReader(`${server.url}/realtime/v1/websocket?apikey=${server.anonKey}&vsn=2.0.0`, {
    onEnd: () => answer(new Error('The connection ended.')),
    onFrame(opcode, payload) {
      // A binary broadcast: [4, topic's length, event's length, …] and the strings from byte 5 on.
      if (opcode === 2) {
        const from = 5 + payload[1]!
        onMessage(payload.toString('latin1', from, from + payload[2]!))
      } else if (opcode === 1) {
        const text = payload.toString()
        if (!text.includes('"phx_reply"')) return
        answer(text.includes('"status":"ok"') ? null : new Error(text))
      }
    },
  })
  return {
    reader,
    join: () =>
      new Promise((resolve, reject) => {
        answer = (error) => (error ? reject(error) : resolve())
        const payload = { config: { private: true }, access_token: member.token }
        reader.send(JSON.stringify(['1', '1', `realtime:${topic}`, 'phx_join', payload]))
      }),
  }
}
