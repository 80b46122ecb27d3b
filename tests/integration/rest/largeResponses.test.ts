import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRest } from './startRest.ts'
import type { RestServer } from './startRest.ts'

const schema = `
create table channels (id int primary key);
create table messages (id int primary key, channel_id int not null references channels, body text not null);
create index on messages (channel_id);
insert into channels select generate_series(1, 3);
insert into messages select n, 1 + n % 3, repeat('x', 1000) from generate_series(1, 300) as n;
create function fails_last(messages) returns int language sql immutable as $$ select 1 / ($1.id - 300) $$;
create function every_channel() returns setof channels language sql volatile as 'table channels';
grant usage on schema public to anon;
grant all on all tables in schema public to anon;
-- On a busy machine thirty such requests take longer than the role's three seconds, which is another error.
alter role anon set statement_timeout to 0;
`

const maxResponseBytes = 1_048_576
let server: RestServer
beforeAll(async () => {
  server = await startRest(schema, { settings: { maxResponseBytes } })
  await server.rest.reload()
})
afterAll(() => server?.stop())

const tooLarge = {
  code: '54000',
  message: 'The response is too large',
  details: `At most ${maxResponseBytes} bytes are sent.`,
  hint: 'Request fewer rows or columns, also of embedded tables: add limits or select less.',
}

it('refuses embeds that multiply their rows beyond the limit, and serves those within it', async () => {
  const anonymous = await server.client()
  const within = await anonymous.from('channels').select('id,messages(id,body)')
  expect(within.data!.flatMap(({ messages }) => messages)).toHaveLength(300)
  const beyond = await anonymous
    .from('channels')
    .select('id,messages(id,body,channels(id,messages(id,body)))')
  expect([beyond.status, beyond.error]).toEqual([400, tooLarge])
  const limited = await anonymous
    .from('channels')
    .select('id,messages(id,body,channels(id,messages(id,body)))')
    .limit(2, { referencedTable: 'messages' })
    .limit(2, { referencedTable: 'messages.channels.messages' })
  expect(limited.status).toBe(200)
})

it('ends a statement whose embeds exceed the limit before PostgreSQL has built all rows', async () => {
  const anonymous = await server.client()
  const nested = 'id,messages(id,fails_last,channels(id,messages(id,body)))'
  const read = (path: string, columns: string) => anonymous.from(path).select(columns)
  // The last row is built when the limit has been exceeded many times, and its error would be the response.
  expect((await read('messages', 'id,fails_last')).error).toMatchObject({ code: '22012' })
  for (const response of [
    read('channels', nested),
    read('messages', 'id,fails_last,channels(id,messages(id,body))'),
    read('messages', 'fails_last,channels(...messages(id,body))'),
    anonymous.rpc('every_channel').select(nested),
    anonymous
      .from('messages')
      .update({ body: 'z'.repeat(1_000) })
      .gt('id', 0)
      .select('id,fails_last,channels(id,messages(id,body))'),
  ]) {
    expect((await response).error).toEqual(tooLarge)
  }
})

it('undoes a write whose representation is too large', async () => {
  const anonymous = await server.client()
  const rows = Array.from({ length: 3 }, (_, n) => ({
    id: 1_000 + n,
    channel_id: 1,
    body: 'y'.repeat(500_000),
  }))
  const written = await anonymous.from('messages').insert(rows).select()
  expect([written.status, written.error]).toEqual([400, tooLarge])
  const { rows: found } = await server.owner.query('select from messages where id >= 1000')
  expect(found).toEqual([])
  expect((await anonymous.from('messages').insert(rows)).status).toBe(201)
  await server.owner.query('delete from messages where id >= 1000')
})

it('serves others meanwhile, and again afterwards', async () => {
  const anonymous = await server.client()
  const many = Array.from({ length: 30 }, (_, n) =>
    n % 3 === 0
      ? anonymous.from('channels').select('id,messages(id,body,channels(id,messages(id,body)))')
      : anonymous.from('channels').select('id'),
  )
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map((_, n) => (n % 3 === 0 ? 400 : 200)))
  expect(server.logged).toEqual([])
})
