import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

const WORDS = `The lab van comes at four today, not at five, so samples go into the box by then. Who has the key to the
store room? It hangs behind the desk again. Mrs Abel moved her appointment and the slot is free; Tomás calls the next
one on the list. Please write room numbers on the folders, two of them were found in the kitchen. `

/**
 * A public channel of so many messages in the demo's workspace, read by Ann to its end: lengths from a word to a page,
 * pictures (their boxes alone), threads and reactions. Answers its id. Written past the commands, which would
 * take an hour.
 */
export async function seedLongChannel(dbUrl: string, messages: number, name = 'archive'): Promise<string> {
  const client = new Client(dbUrl)
  await client.connect()
  const channel = randomUUID()
  try {
    await client.query('begin')
    await client.query(
      `insert into public.channels (id, workspace_id, kind, name, created_by)
       select $1, m.workspace_id, 'public', $2, m.profile_id from public.workspace_members m
       where m.role = 'owner'`,
      [channel, name],
    )
    await client.query(
      `insert into public.channel_counters (channel_id, last_seq, rev, last_at) values ($1, $2::int, $2::int + $2::int / 50 * 3, now())`,
      [channel, messages],
    )
    await client.query(
      `insert into public.channel_members (channel_id, profile_id)
       select $1, profile_id from public.workspace_members where state = 'active' and role <> 'guest'`,
      [channel],
    )
    await client.query(
      `insert into public.channel_member_state (channel_id, profile_id, last_read_seq)
       select $1, profile_id, $2::int from public.channel_members where channel_id = $1`,
      [channel, messages],
    )
    await client.query(
      `insert into public.messages
         (id, channel_id, seq, history_seq, rev, author_id, body, created_at, last_thread_seq, reply_count,
          reply_people, last_reply_at)
       select gen_random_uuid(), $1, n, n, n, people.ids[1 + (n / 3 * 7) % array_length(people.ids, 1)],
         case when n % 61 = 0 then repeat($3, 1 + n % 4) else left($3, 6 + (n::bigint * 7919 % 260)::int) end,
         now() - ($2::int - n) * interval '70 seconds',
         case when n % 50 = 0 then 3 else 0 end, case when n % 50 = 0 then 3 else 0 end,
         case when n % 50 = 0 then people.ids[1:2] else '{}' end,
         case when n % 50 = 0 then now() - ($2::int - n) * interval '70 seconds' end
       from generate_series(1, $2::int) n,
         (select array_agg(profile_id order by profile_id) as ids from public.channel_members
          where channel_id = $1) people`,
      [channel, messages, WORDS.replaceAll('\n', ' ')],
    )
    await client.query(
      `insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
       select gen_random_uuid(), $1, r.id, k, r.seq, $2::int + (r.seq / 50 - 1) * 3 + k, r.reply_people[1],
         'An answer in a thread.', r.created_at
       from public.messages r, generate_series(1, 3) k where r.channel_id = $1 and r.reply_count = 3`,
      [channel, messages],
    )
    await client.query(
      `insert into public.message_changes (message_id, channel_id, rev, history_seq)
       select m.id, m.channel_id, m.rev, m.history_seq from public.messages m where m.channel_id = $1`,
      [channel],
    )
    await client.query(
      `insert into public.reactions (message_id, emoji, profile_id, message_author_id)
       select m.id, e.emoji, p.profile_id, m.author_id from public.messages m
       cross join (values ('👍'), ('💛')) e (emoji)
       cross join (select profile_id from public.channel_members where channel_id = $1 limit 2) p
       where m.channel_id = $1 and m.seq % 9 = 0`,
      [channel],
    )
    await client.query(
      `insert into public.attachments
         (message_id, upload_id, upload_channel_id, position, name, type, size, width, height)
       select id, gen_random_uuid(), $1, 0, 'plan.png', 'image/png', 80000, 800 + seq % 7 * 100, 600
       from public.messages where channel_id = $1 and seq % 31 = 0`,
      [channel],
    )
    await client.query('commit')
    await client.query('analyze public.messages, public.reactions, public.attachments')
    return channel
  } finally {
    await client.end()
  }
}
