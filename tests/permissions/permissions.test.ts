import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPermissionMatrix, checkMatrix, undeclaredObjects } from './checkMatrix.ts'
import { openPermissionFixture, type PermissionFixture } from './fixture.ts'

const declared = readPermissionMatrix(join(import.meta.dirname, '../..'))
/** `npm test` checks a quarter of the cases: LINNET_RUNS is the share. */
const every = Math.max(1, Math.round(1 / Number(process.env['LINNET_RUNS'] ?? 1)))
let fixture: PermissionFixture
beforeAll(async () => {
  fixture = await openPermissionFixture()
})
afterAll(() => fixture?.stop())

test('every actor gets the outcome that the matrix declares, and every object of the schema is declared', async () => {
  const { broken, missing, cases } = await checkMatrix(fixture, declared, every)
  expect(broken).toEqual([])
  expect(missing).toEqual([])
  expect(cases).toBeGreaterThan(1500)
})

test('reports objects of the schema that the matrix does not declare', async () => {
  const missing = await fixture.base.service(async (s) => {
    await s.rows(`create table public.ledgers (id uuid primary key)`)
    await s.rows(`create view public.sums as select count(*) from public.ledgers`)
    await s.rows(`alter table public.channels add column budget text`)
    await s.rows(`create function public.spend(amount integer) returns jsonb language sql return '{}'::jsonb`)
    await s.rows(
      `create function public.typing(channel uuid, loudly boolean) returns jsonb language sql return '{}'::jsonb`,
    )
    await s.rows(`insert into storage.buckets (id, name) values ('receipts', 'receipts')`)
    await s.rows(
      `create policy "anyone receives everything" on realtime.messages for select to anon using (true)`,
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
    'policy on realtime.messages: anyone receives everything',
    'published public.ledgers',
    'table ledgers',
    'table sums',
    'topic ledger',
  ])
})

test('reports policies that grant too much', async () => {
  await fixture.base.service(async (s) => {
    await s.rows(`alter policy "readers of a message see its pin" on public.pins using (true)`)
    await s.rows(`grant select (user_id) on public.profiles to authenticated`)
    await s.rows(`alter policy "readers of a message read its files" on storage.objects using (true)`)
    await s.rows(`create policy "all carry off" on storage.objects for update to authenticated using (true)`)
  }, true)
  const rows = declared.rows.filter(
    ({ kind, target: [object, operation, where] }) =>
      object === 'pins' ||
      operation === 'select user_id' ||
      (kind === 'bucket' && where === 'closed' && ['read', 'list', 'sign'].includes(operation!)) ||
      operation === 'move into side',
  )
  const { broken } = await checkMatrix(fixture, { ...declared, rows })
  expect(broken.join('\n')).toMatch(/pins · select message_id · message_id=secret: omar expected –, was yes/)
  expect(broken.join('\n')).toMatch(/files · read · closed: omar expected not_found, was yes/)
  expect(broken.join('\n')).toMatch(/files · list · closed: omar expected –, (was yes|the response contains)/)
  expect(broken.join('\n')).toMatch(/files · sign · closed: half expected not_found, was yes/)
  expect(broken.join('\n')).toMatch(
    /files · move into side · own unattached file: omar expected not_found, was yes/,
  )
  expect(broken.join('\n')).toMatch(/profiles · select user_id · id=bea: ann expected denied, was yes/)
})
