import { channels, messagesPerChannel, person } from './plainSchema.ts'

/** One request and the equivalent statement; `n` counts, so that different rows are requested. */
export interface Operation {
  what: string
  method: string
  path: (n: number) => string
  prefer?: string
  body?: (n: number) => unknown
  /** Returns one row; its `body` is the body of the response. */
  text: string
  values: (n: number) => unknown[]
}

/** A channel that the person is a member of. */
const channelOf = (n: number): number => ((n * 2) % channels) + 1

const messageOf = (n: number): number => {
  const channel = channelOf(n)
  return channel - 1 + channels * ((n % (messagesPerChannel - 1)) + 1)
}

const note = 'A note, as long as what people write to themselves.'
const list = (rows: string): string => `select coalesce(json_agg(m), '[]') as body from (${rows}) m`

export const operations: Operation[] = [
  {
    what: 'page of 50',
    method: 'GET',
    path: (n) => {
      const range = `channel_id=eq.${channelOf(n)}&id=lt.${messageOf(n) + 4_000}`
      return `/messages?select=id,author_id,body,created_at&${range}&order=id.desc&limit=50`
    },
    text: list(
      `select id, author_id, body, created_at from public.messages
       where channel_id = $1 and id < $2 order by id desc limit 50`,
    ),
    values: (n) => [channelOf(n), messageOf(n) + 4_000],
  },
  {
    what: 'row by key',
    method: 'GET',
    path: (n) => `/messages?id=eq.${messageOf(n)}`,
    text: list('select * from public.messages where id = $1'),
    values: (n) => [messageOf(n)],
  },
  {
    what: 'insert',
    method: 'POST',
    path: () => '/notes',
    prefer: 'return=minimal',
    body: (n) => ({ user_id: person, channel_id: channelOf(n), body: note }),
    text: 'insert into public.notes (user_id, channel_id, body) values ($1, $2, $3)',
    values: (n) => [person, channelOf(n), note],
  },
  {
    what: 'upsert',
    method: 'POST',
    path: () => '/markers?on_conflict=user_id,channel_id',
    prefer: 'resolution=merge-duplicates,return=minimal',
    body: (n) => ({ user_id: person, channel_id: n % 2_000, seen: n }),
    text: `insert into public.markers (user_id, channel_id, seen) values ($1, $2, $3)
      on conflict (user_id, channel_id) do update set seen = excluded.seen`,
    values: (n) => [person, n % 2_000, n],
  },
  {
    what: 'rpc',
    method: 'POST',
    path: () => '/rpc/newest',
    body: (n) => ({ channel: channelOf(n) }),
    text: 'select to_json(public.newest($1)) as body',
    values: (n) => [channelOf(n)],
  },
  {
    what: 'embed of 3',
    method: 'GET',
    path: (n) => {
      const embeds = 'authors(name),channels(name),reactions(emoji,people)'
      return `/messages?select=id,body,${embeds}&channel_id=eq.${channelOf(n)}&order=id.desc&limit=20`
    },
    text: list(
      `select messages.id, body, row_to_json(a) as authors, row_to_json(c) as channels,
         coalesce(r.list, '[]') as reactions
       from public.messages
       left join lateral (select name from public.authors where id = messages.author_id) a on true
       left join lateral (select name from public.channels where id = messages.channel_id) c on true
       left join lateral (
         select json_agg(r) as list
         from (select emoji, people from public.reactions where message_id = messages.id) r
       ) r on true
       where channel_id = $1 order by id desc limit 20`,
    ),
    values: (n) => [channelOf(n)],
  },
  {
    what: 'count=exact',
    method: 'GET',
    path: (n) => `/messages?select=id,body&channel_id=eq.${channelOf(n)}&order=id.desc&limit=10`,
    prefer: 'count=exact',
    text: `select (select count(*) from public.messages where channel_id = $1), coalesce(json_agg(m), '[]') as body
      from (select id, body from public.messages where channel_id = $1 order by id desc limit 10) m`,
    values: (n) => [channelOf(n)],
  },
]
