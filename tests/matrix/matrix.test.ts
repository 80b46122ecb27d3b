import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCells, runMatrix, undeclaredObjects } from './runMatrix.ts'
import { openMatrixWorld, type MatrixWorld } from './world.ts'

const declared = readCells(join(import.meta.dirname, '../..'))
let world: MatrixWorld
beforeAll(async () => {
  world = await openMatrixWorld()
})
afterAll(() => world?.stop())

test(
  'everyone is answered as the tables of cells say, and every object of the schema has cells',
  { timeout: 240_000 },
  async () => {
    const { broken, missing, cells } = await runMatrix(world, declared)
    expect(broken).toEqual([])
    expect(missing).toEqual([])
    expect(cells).toBeGreaterThan(1500)
  },
)

test('whatever is added without cells is missed', async () => {
  const missing = await world.world.service(async (s) => {
    await s.rows(`create table public.ledgers (id uuid primary key)`)
    await s.rows(`create view public.sums as select count(*) from public.ledgers`)
    await s.rows(`alter table public.channels add column budget text`)
    await s.rows(`create function public.spend(amount integer) returns jsonb language sql return '{}'::jsonb`)
    await s.rows(
      `create function public.typing(channel uuid, loudly boolean) returns jsonb language sql return '{}'::jsonb`,
    )
    await s.rows(`insert into storage.buckets (id, name) values ('receipts', 'receipts')`)
    await s.rows(
      `create policy "anyone hears everything" on realtime.messages for select to anon using (true)`,
    )
    await s.rows(`alter publication supabase_realtime add table public.ledgers`)
    await s.rows(`create function app.tell_ledger(id uuid) returns void language plpgsql as $$
      begin perform realtime.send('{}', 'spent', 'ledger:' || id, true); end $$`)
    return undeclaredObjects(s, declared)
  })
  expect(missing).toEqual([
    'bucket receipts',
    'column channels.budget',
    'column ledgers.id',
    'column sums.count',
    'function spend(amount)',
    'function typing(channel, loudly)',
    'policy on realtime.messages: anyone hears everything',
    'published public.ledgers',
    'table ledgers',
    'table sums',
    'topic ledger',
  ])
})

test('a hole in a wall is found', async () => {
  await world.world.service(async (s) => {
    await s.rows(`alter policy "readers of a message see its pin" on public.pins using (true)`)
    await s.rows(`grant select (user_id) on public.profiles to authenticated`)
    await s.rows(`alter policy "readers of a message open its files" on storage.objects using (true)`)
    await s.rows(`create policy "all carry off" on storage.objects for update to authenticated using (true)`)
  }, true)
  const rows = declared.rows.filter(
    ({ kind, said: [object, way, where] }) =>
      object === 'pins' ||
      way === 'select user_id' ||
      (kind === 'bucket' && where === 'closed' && ['read', 'list', 'sign'].includes(way!)) ||
      way === 'move into side',
  )
  const { broken } = await runMatrix(world, { ...declared, rows })
  expect(broken.join('\n')).toMatch(/pins · select message_id · message_id=secret: omar expected –, was yes/)
  expect(broken.join('\n')).toMatch(/files · read · closed: omar expected not_found, was yes/)
  expect(broken.join('\n')).toMatch(/files · list · closed: omar expected –, was (yes|told of)/)
  expect(broken.join('\n')).toMatch(/files · sign · closed: half expected not_found, was yes/)
  expect(broken.join('\n')).toMatch(
    /files · move into side · own loose one: omar expected not_found, was yes/,
  )
  expect(broken.join('\n')).toMatch(/profiles · select user_id · id=bea: ann expected denied, was yes/)
})
