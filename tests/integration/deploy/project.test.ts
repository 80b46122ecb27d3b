import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkDeployment } from '../../../backend/optional/deploy/checkDeployment.ts'
import { compareCatalogues } from '../../../backend/optional/deploy/compareCatalogues.ts'
import { createReference } from '../../../backend/optional/deploy/createReference.ts'
import { Findings } from '../../../backend/optional/deploy/Report.ts'
import { listMigrations } from '../../../backend/postgres/schema/migrationFiles.ts'
import { startBackend, type Backend } from '../../support/backend.ts'

/** Another project, with features that Linnet's own schema does not use. */
const project = mkdtempSync(join(tmpdir(), 'linnet-project-'))
const put = (path: string, text: string): void => {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), text)
}
put('config.toml', '[api]\nschemas = ["public", "shop"]\n[functions.hello]\nverify_jwt = false\n')
put('functions/hello/index.ts', `Deno.serve(() => new Response('hello'))\n`)
put(
  'migrations/20260101000000_shop.sql',
  `create extension pg_cron;
   create extension if not exists "pgcrypto";
   create extension citext with schema extensions;
   create schema shop;
   grant usage on schema shop to anon, authenticated;
   create type shop.state as enum ('open', 'paid');
   create table shop.orders (id bigint primary key, state shop.state not null default 'open', owner uuid);
   alter table shop.orders enable row level security;
   create policy "Own orders" on shop.orders for select to authenticated using (owner = (select auth.uid()));
   grant select on shop.orders to authenticated;
   create view shop.paid with (security_invoker = true) as select id from shop.orders where state = 'paid';
   alter publication supabase_realtime add table shop.orders;
   create function shop.call() returns text language sql security definer set search_path = '' as
     $$ select decrypted_secret from vault.decrypted_secrets where name = 'shop_key' $$;
   create function shop.greet() returns trigger language plpgsql as $$ begin return new; end $$;
   create trigger greet after insert on auth.users for each row execute function shop.greet();
   select cron.schedule('sweep', '0 3 * * *', 'delete from shop.orders');`,
)

let hosted: Backend
let client: Client
let whole: ReturnType<typeof createReference>

beforeAll(async () => {
  whole = createReference(listMigrations(project).migrations)
  hosted = await startBackend({ supabase: project })
  client = new Client({ connectionString: hosted.dbUrl })
  await client.connect()
  await client.query(`select vault.create_secret('x', 'shop_key')`)
})
afterAll(async () => {
  await client?.end()
  await hosted?.stop()
  rmSync(project, { recursive: true })
})

async function missing(supabaseDir = project): Promise<string[]> {
  const report = await checkDeployment({
    supabaseDir,
    url: hosted.url,
    dbUrl: hosted.dbUrl,
    key: hosted.publishableKey,
    accessToken: null,
    site: null,
    reference: () => whole,
  })
  return report.missing.map(({ sentence }) => sentence)
}

it('finds nothing missing in a complete project', async () => {
  expect(await missing()).toEqual([])
})

it.each([
  [
    `select cron.unschedule('sweep')`,
    'The cron job sweep is missing.',
    `select cron.schedule('sweep', '0 3 * * *', 'delete from shop.orders')`,
  ],
  [
    `select cron.alter_job(jobid, active => false) from cron.job`,
    'The cron job sweep is disabled.',
    `select cron.alter_job(jobid, active => true) from cron.job`,
  ],
  [
    `select cron.schedule('sweep', '* * * * *', 'delete from shop.orders')`,
    'The cron job sweep differs from the migrations.',
    `select cron.schedule('sweep', '0 3 * * *', 'delete from shop.orders')`,
  ],
  [
    `delete from vault.secrets where name = 'shop_key'`,
    'The Vault has no secret "shop_key", which the function shop.call() reads',
    `select vault.create_secret('x', 'shop_key')`,
  ],
  [
    'alter publication supabase_realtime drop table shop.orders',
    'The publication supabase_realtime lacks shop.orders: its changes are not published.',
    'alter publication supabase_realtime add table shop.orders',
  ],
  [
    'alter view shop.paid set (security_invoker = false)',
    'The view shop.paid differs from the migrations.',
    'alter view shop.paid set (security_invoker = true)',
  ],
  [
    'drop trigger greet on auth.users',
    'The trigger greet on auth.users is missing.',
    'create trigger greet after insert on auth.users for each row execute function shop.greet()',
  ],
  [
    'alter policy "Own orders" on shop.orders using (true)',
    'The policy "Own orders" on shop.orders differs from the migrations.',
    'alter policy "Own orders" on shop.orders using (owner = (select auth.uid()))',
  ],
  [
    'drop policy "Own orders" on shop.orders',
    'The policy "Own orders" on shop.orders is missing.',
    'create policy "Own orders" on shop.orders for select to authenticated using (owner = (select auth.uid()))',
  ],
  [
    'revoke usage on schema shop from anon',
    'anon lacks usage on schema shop.',
    'grant usage on schema shop to anon',
  ],
  [`alter type shop.state add value 'lost'`, 'The type shop.state differs from the migrations.', 'select 1'],
])('%s', async (breaks, sentence, fix) => {
  await client.query(breaks)
  const found = await missing()
  await client.query(fix)
  expect(found).toEqual([expect.stringContaining(sentence)])
})

it('reports a missing extension, an undeployed function, and a schema that is not served', async () => {
  const { before, after } = await whole
  const findings = new Findings()
  // This server always has the second one; other platforms may not.
  const gone = new Set(['extension citext', 'extension pgcrypto'])
  const poorer = new Map([...after].filter(([key]) => !gone.has(key)))
  compareCatalogues({ before, after }, poorer, [], findings)
  expect(findings.missing.map(({ sentence }) => sentence).toSorted()).toEqual([
    'The extension citext is not installed: create extension citext;',
    'The extension pgcrypto is not installed: create extension pgcrypto;',
  ])
  const newer = mkdtempSync(join(tmpdir(), 'linnet-project-'))
  cpSync(project, newer, { recursive: true })
  mkdirSync(join(newer, 'functions/later'))
  writeFileSync(join(newer, 'functions/later/index.ts'), `Deno.serve(() => new Response('later'))\n`)
  writeFileSync(join(newer, 'config.toml'), '[api]\nschemas = ["public", "stock"]\n')
  const found = await missing(newer)
  rmSync(newer, { recursive: true })
  expect(found.filter((one) => !one.startsWith('The type'))).toEqual([
    'The data API does not serve the schema stock.',
    'The data API serves the schema shop, which config.toml does not expose.',
    'The function later is not deployed: npx supabase functions deploy later',
  ])
})
