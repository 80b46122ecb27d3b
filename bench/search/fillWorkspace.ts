import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { createBody, createVocabulary, foldText, zipf } from './createText.ts'

export interface StoredMessage {
  id: string
  channel: number
  seq: number
  author: number
  folded: string
  /** Microseconds since 1970. */
  at: number
  marks: ReadonlySet<string>
}

export interface Person {
  profile: string
  account: string
  /** History starts by index of channel. */
  reads: Map<number, number>
}

export interface SearchWorkspace {
  id: string
  channels: string[]
  people: Person[]
  vocabulary: string[]
  messages: StoredMessage[]
}

const CHANNELS = 500
const VOCABULARY = 20_000
const BATCH = 5_000

/**
 * Adds 500 private channels and 40 people to the workspace of the demo. `reader`, who is the first of them, is a member of
 * every tenth channel; the others of random ones, every fourth with a history start; the last has no membership at all.
 */
export async function createWorkspace(
  client: Client,
  reader: { workspace: string; profile: string; account: string },
  random: () => number,
): Promise<SearchWorkspace> {
  const channels = Array.from({ length: CHANNELS }, () => randomUUID())
  const people: Person[] = [{ ...reader, reads: new Map() }]
  // The oracle knows the bench's messages only.
  await client.query('truncate public.messages, public.search_segments cascade')
  await client.query(`set session_replication_role = 'replica'`)
  await client.query(
    `insert into public.channels (id, workspace_id, kind, name, created_by)
     select c, $2, 'private', 'archive ' || n, $3 from unnest($1::uuid[]) with ordinality c (c, n)`,
    [channels, reader.workspace, reader.profile],
  )
  await client.query(
    `insert into public.channel_counters (channel_id, last_seq, rev, last_at)
     select c, 0, 0, now() - interval '700 days' from unnest($1::uuid[]) c`,
    [channels],
  )
  for (let n = 1; n < 40; n += 1) {
    const [account, profile] = [randomUUID(), randomUUID()]
    people.push({ account, profile, reads: new Map() })
    await client.query(
      `insert into auth.users (id, aud, role, email, email_confirmed_at, created_at)
       values ($1, 'authenticated', 'authenticated', $2, now(), now())`,
      [account, `person-${n}@harbour.example`],
    )
    await client.query(`insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())`, [
      account,
    ])
    await client.query(`insert into public.profiles (id, user_id, name) values ($1, $2, $3)`, [
      profile,
      account,
      `Person ${n}`,
    ])
    if (n === 39) continue
    await client.query(
      `insert into public.workspace_members (workspace_id, profile_id, role) values ($1, $2, $3)`,
      [reader.workspace, profile, n % 4 === 0 ? 'guest' : 'member'],
    )
  }
  for (const [n, person] of people.entries()) {
    if (n === 39) continue
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      if (n === 0 ? channel % 10 === 0 : random() < 0.1)
        person.reads.set(channel, n % 4 === 0 && n > 0 ? 6 : 1)
    }
    await client.query(
      `insert into public.channel_members (channel_id, profile_id, workspace_id, history_from_seq)
       select c, $2, $3, h from unnest($1::uuid[], $4::bigint[]) m (c, h)`,
      [
        [...person.reads.keys()].map((channel) => channels[channel]),
        person.profile,
        reader.workspace,
        [...person.reads.values()],
      ],
    )
  }
  await client.query(`set session_replication_role = 'origin'`)
  await client.query('analyze public.channels, public.channel_members')
  return {
    id: reader.workspace,
    channels,
    people,
    vocabulary: createVocabulary(VOCABULARY, random),
    messages: [],
  }
}

/**
 * Adds so many messages of the last two years, unevenly divided among channels, people and words. Their words and marks are
 * computed as triggers and commands do; the index is created afterwards.
 */
export async function addMessages(
  client: Client,
  workspace: SearchWorkspace,
  total: number,
  random: () => number,
): Promise<void> {
  const { messages, people, vocabulary, channels } = workspace
  const counts = new Map<number, number>()
  const begin = Date.now() - 700 * 86_400_000
  const end = Date.now() - 60_000
  await client.query(`set session_replication_role = 'replica'`)
  await client.query('drop index public.message_search_terms')
  while (messages.length < total) {
    const bodies: string[] = []
    const batch: StoredMessage[] = []
    for (let n = messages.length; n < Math.min(messages.length + BATCH, total); n += 1) {
      const channel = zipf(channels.length, random) - 1
      const seq = (counts.get(channel) ?? 0) + 1
      counts.set(channel, seq)
      let body = createBody(vocabulary, random)
      const marks = new Set<string>()
      if (body.includes('https://')) marks.add('link')
      if (body.includes('`')) marks.add('code')
      if (random() < 0.01) {
        body += ` <@${people[0]!.profile}>`
        marks.add('mention')
      }
      if (random() < 0.05) marks.add('reaction')
      if (random() < 0.03) marks.add('file')
      if (random() < 0.005) marks.add('pinned')
      bodies.push(body)
      batch.push({
        id: randomUUID(),
        channel,
        seq,
        author: zipf(38, random) - 1,
        folded: foldText(body.replace(/<@.*>/, ' ') + (marks.has('file') ? ' plan.png' : '')),
        at: Math.floor(begin + ((n + 1) / total) * (end - begin)) * 1000 + (n % 1000),
        marks,
      })
    }
    await client.query(
      `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
       select id, channel, seq, seq, seq, author, body, timestamptz 'epoch' + at * interval '1 microsecond'
       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::bigint[])
         m (id, channel, seq, author, body, at)`,
      [
        batch.map((message) => message.id),
        batch.map((message) => channels[message.channel]),
        batch.map((message) => message.seq),
        batch.map((message) => people[message.author]!.profile),
        bodies,
        batch.map((message) => message.at),
      ],
    )
    const having = (mark: string) =>
      batch.filter((message) => message.marks.has(mark)).map((message) => message.id)
    await client.query(
      `insert into public.reactions (message_id, emoji, profile_id, message_author_id)
       select m.id, '👍', $2, m.author_id from public.messages m where m.id = any ($1::uuid[])`,
      [having('reaction'), people[0]!.profile],
    )
    await client.query(
      `insert into public.pins (message_id, channel_id, pinned_by)
       select m.id, m.channel_id, $2 from public.messages m where m.id = any ($1::uuid[])`,
      [having('pinned'), people[0]!.profile],
    )
    await client.query(
      `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
       select m.id, gen_random_uuid(), m.channel_id, 0, 'plan.png', 'image/png', 7
       from public.messages m where m.id = any ($1::uuid[])`,
      [having('file')],
    )
    await client.query(
      `insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
       select m.id, m.channel_id, m.rev >> 12, m.history_seq, m.created_at, app.index_text(m.body)
         || array_to_tsvector(app.message_properties(m) || coalesce(app.file_words(m.id), '{}'))
       from public.messages m where m.id = any ($1::uuid[])`,
      [batch.map((message) => message.id)],
    )
    messages.push(...batch)
  }
  await client.query(
    `update public.channel_counters k set last_seq = m.seq, rev = m.seq, last_at = m.at
     from (select channel_id, max(seq) as seq, max(created_at) as at from public.messages group by 1) m
     where m.channel_id = k.channel_id and k.channel_id = any ($1::uuid[])`,
    [channels],
  )
  await client.query(
    `insert into public.search_segments (channel_id, segment, first_at, last_at)
     select channel_id, segment, min(created_at), max(created_at) from public.message_search group by 1, 2
     on conflict (channel_id, segment) do update set first_at = excluded.first_at, last_at = excluded.last_at`,
  )
  await client.query(`set maintenance_work_mem = '512MB'`)
  await client.query(
    `create index message_search_terms on public.message_search
     using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off)`,
  )
  await client.query('alter index public.message_search_terms alter column 1 set statistics 0')
  await client.query(`set session_replication_role = 'origin'`)
  await client.query('select app.update_search_vocabulary(1000000)')
  await client.query(
    `vacuum analyze public.messages, public.message_search, public.search_segments, public.attachments, public.reactions,
       public.pins, public.search_vocabulary`,
  )
}
