import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('background jobs, on $name', ({ open }) => {
  let fixture: Fixture

  /** The requests that pg_net has not sent yet. */
  const queued = (s: TestTransaction): Promise<{ url: string; headers: Record<string, string> }[]> =>
    s.rows('select url, headers from net.http_request_queue order by id')
  /** The invocations that the server has not handled yet. */
  const invoked = (s: TestTransaction): Promise<{ name: string; body: unknown }[]> =>
    s.rows('select function_name as name, body from supabase_functions.invocations order by id')
  /** A transaction on a platform without direct invocations, such as hosted Supabase. It is rolled back. */
  const serviceWithPgNet = (work: (s: TestTransaction) => Promise<void>): Promise<void> =>
    fixture.service(async (s) => {
      await s.rows('drop function supabase_functions.invoke')
      await work(s)
    })
  const offer = (s: TestTransaction, address = 'http://127.0.0.1:4280'): Promise<unknown> =>
    s.value('select public.register_server_url($1)', [address])
  const remove = (s: TestTransaction, ...files: string[]): Promise<unknown> =>
    s.rows(`insert into public.file_deletion_queue (bucket_id, name) select 'avatars', unnest($1::text[])`, [
      files,
    ])

  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(async () => {
    await fixture.stop()
    await fixture.database.stop()
  })

  it('is planned', async () => {
    const jobs = await fixture.service((s) =>
      s.rows('select jobname, schedule, username, active from cron.job order by jobname'),
    )
    expect(jobs).toEqual([
      { jobname: 'linnet: appoint owners', schedule: '47 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete accounts', schedule: '*/5 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete channels', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete files', schedule: '*/5 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete join requests', schedule: '37 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete link previews', schedule: '27 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: delete workspaces', schedule: '7 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: deliver webhooks', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: end bot tokens', schedule: '* * * * *', username: 'postgres', active: true },
      {
        jobname: 'linnet: end pending search terms',
        schedule: '* * * * *',
        username: 'postgres',
        active: true,
      },
      { jobname: 'linnet: end what has expired', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: expire commands', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: fetch link previews', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: forget ended access', schedule: '53 3 * * *', username: 'postgres', active: true },
      {
        jobname: 'linnet: limit followed threads',
        schedule: '43 * * * *',
        username: 'postgres',
        active: true,
      },
      { jobname: 'linnet: mail accounts', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: mail invitations', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: merge claimed people', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: queue stored objects', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: read file texts', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: rebuild search words', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: remind', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: remove metadata', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: retention', schedule: '*/5 * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: search vocabulary', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: send mail', schedule: '* * * * *', username: 'postgres', active: true },
      { jobname: 'linnet: send push', schedule: '* * * * *', username: 'postgres', active: true },
      {
        jobname: 'linnet: send scheduled messages',
        schedule: '* * * * *',
        username: 'postgres',
        active: true,
      },
      { jobname: 'linnet: sweep', schedule: '17 * * * *', username: 'postgres', active: true },
    ])
  })

  it.each([...names, 'anon'] as const)('%s can neither call nor read it', async (name) => {
    await fixture.rolledBackAs(name, async (s) => {
      for (const call of [
        `public.register_server_url('https://evil.example')`,
        `public.check_task('x')`,
        `app.start_task('delete-files')`,
        `supabase_functions.invoke('delete-files')`,
        'app.sweep()',
        `app.read_secret('linnet_task_secret')`,
      ]) {
        expect((await s.refusal((t) => t.rows(`select ${call}`))).code).toBe('42501')
      }
    })
  })

  it('tasks are invoked directly where the platform can, without the URL of the server and a secret', async () => {
    await fixture.service(async (s) => {
      await s.rows(`delete from vault.secrets where name in ('project_url', 'linnet_task_secret')`)
      await s.rows(`select app.start_task('push', '{"wait_ms": 100, "more": 1}')`)
      await remove(s, 'a', 'b', 'c')
      expect(await invoked(s)).toEqual([
        { name: 'push', body: { more: 1 } },
        { name: 'delete-files', body: {} },
      ])
      expect(await queued(s)).toEqual([])
    })
  })

  it('an invocation with another name than that of a function, or with more than 1 MB, is refused', async () => {
    await fixture.service(async (s) => {
      const invoke = (name: string, text = '') =>
        s.refusal((t) => t.rows('select supabase_functions.invoke($1, to_jsonb($2::text))', [name, text]))
      for (const name of ['', '../push', 'push?a', 'a'.repeat(101)])
        expect((await invoke(name)).constraint).toBe('invocations_function_name_valid')
      expect((await invoke('push', 'x'.repeat(1_000_000))).constraint).toBe('invocations_body_small')
    })
  })

  it('accepts only calls with its secret', async () => {
    await serviceWithPgNet(async (s) => {
      await offer(s)
      await remove(s, 'a')
      const [call] = await queued(s)
      expect(call!.url).toBe('http://127.0.0.1:4280/functions/v1/delete-files')
      const check = (secret: string | null): Promise<unknown> =>
        s.value('select public.check_task($1)', [secret])
      const secret = call!.headers['x-linnet-task']!
      expect(secret.length).toBeGreaterThan(40)
      expect(await check(secret)).toEqual({ valid: true })
      for (const other of [null, '', 'x', secret.toUpperCase(), `${secret} `]) {
        expect(await check(other)).toEqual({ valid: false })
      }
    })
  })

  it('calls once for what one statement deletes, and not at all for nothing', async () => {
    await serviceWithPgNet(async (s) => {
      await offer(s)
      await remove(s)
      expect(await queued(s)).toEqual([])
      await remove(s, 'a', 'b', 'c')
      expect(await queued(s)).toHaveLength(1)
    })
  })

  it('waits until its URL is set', async () => {
    await serviceWithPgNet(async (s) => {
      await remove(s, 'a')
      expect(await queued(s)).toEqual([])
    })
  })

  it('a deletion succeeds if the call of the function fails', async () => {
    await fixture.service(async (s) => {
      await offer(s)
      await s.rows(`create or replace function app.start_task(task text) returns void language plpgsql
        set search_path = '' as 'begin raise exception ''down''; end'`)
      await remove(s, 'a')
      expect(await s.value('select count(*)::int from public.file_deletion_queue')).toBe(1)
    })
  })

  it('makes a secret anew that its key does not open', async () => {
    await serviceWithPgNet(async (s) => {
      await offer(s)
      await s.rows(`delete from vault.secrets where name = 'linnet_task_secret'`)
      await offer(s, 'https://chat.example.org')
      await remove(s, 'a')
      const [call] = await queued(s)
      expect(call!.url).toBe('https://chat.example.org/functions/v1/delete-files')
    })
  })

  it('deletes expired rows and unattached files, and nothing else', async () => {
    await fixture.service(async (s) => {
      const invite = (expires: string, more = ''): Promise<unknown> =>
        s.rows(
          `insert into public.invitations (workspace_id, token_hash, role, invited_by, max_uses, expires_at
             ${more && ', revoked_at'})
           values ($1, $2, 'member', $3, 1, now() + $4::interval ${more && `, now() + '${more}'`})`,
          [fixture.workspace, randomUUID(), fixture.profile.ann, expires],
        )
      await s.rows('delete from public.invitations where true')
      await invite('1 day')
      await invite('-29 days')
      await invite('-31 days')
      await invite('1 day', '-31 days')
      await s.rows(
        `insert into public.heartbeats (profile_id, state, seen_at)
         values ($1, 'active', now() - interval '2 days'), ($2, 'away', now())
         on conflict (profile_id) do update set seen_at = excluded.seen_at`,
        [fixture.profile.bea, fixture.profile.cem],
      )
      await s.rows(
        `insert into cron.job_run_details (jobid, username, status, end_time)
         values (1, 'postgres', 'succeeded', now() - interval '8 days'),
           (1, 'postgres', 'succeeded', now()), (1, 'postgres', 'running', null)`,
      )
      const paths = [26, 1].map((hours) => ({ hours, path: `${fixture.lobby}/${randomUUID()}/file` }))
      for (const { hours, path } of paths) {
        await s.rows(
          `insert into storage.objects (bucket_id, name, created_at)
           values ('files', $1, now() - make_interval(hours => $2))`,
          [path, hours],
        )
      }
      await s.rows('select app.sweep()')
      await s.rows('select app.sweep()')
      expect(await s.value('select count(*)::int from public.invitations')).toBe(2)
      expect(
        await s.rows('select profile_id from public.heartbeats where profile_id in ($1, $2)', [
          fixture.profile.bea,
          fixture.profile.cem,
        ]),
      ).toEqual([{ profile_id: fixture.profile.cem }])
      expect(await s.value('select count(*)::int from cron.job_run_details')).toBe(2)
      expect(await s.rows('select name from public.file_deletion_queue')).toEqual([{ name: paths[0]!.path }])
    })
  })

  it('are claimed up to the requested number, whatever the plan', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.jobs (kind, owner_id, payload) select 'mail', gen_random_uuid(), '{}' from generate_series(1, 50)`,
      )
      // The plan of a table without statistics.
      await s.rows(
        `select set_config('enable_' || name, 'off', true) from unnest('{hashjoin,mergejoin,hashagg,material,sort}'::text[]) name`,
      )
      expect(await s.value(`select count(*)::int from app.claim_jobs('mail', 20)`)).toBe(20)
    })
  })
})
