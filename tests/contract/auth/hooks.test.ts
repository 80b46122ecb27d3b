import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../../../backend/config/loadConfig.ts'
import { someone, startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
beforeAll(async () => {
  database = await startDatabase()
  await database.admin.query(`
    create table public.hook_calls (event jsonb);
    grant insert, select on public.hook_calls to supabase_auth_admin;
    create function public.gate(event jsonb) returns jsonb language plpgsql as $$
    begin
      insert into public.hook_calls values (event || jsonb_build_object('called_by', current_user));
      if event -> 'user' ->> 'email' like 'refused%' then
        return '{"error": {"http_code": 403, "message": "Only by invitation."}}';
      elsif event -> 'user' ->> 'email' like 'broken%' then
        raise exception 'the hook broke';
      elsif event -> 'user' ->> 'email' like 'slow%' then
        perform pg_sleep(10);
      end if;
      return '{}';
    end $$;
    create function public.stamp(event jsonb) returns jsonb language sql as $$
      select jsonb_build_object('claims', event -> 'claims' || '{"plan": "pro"}')
    $$;
    revoke execute on function public.gate, public.stamp from public;
    grant execute on function public.gate, public.stamp to supabase_auth_admin;`)
  auth = await startAuth(
    database,
    `[auth.email]
enable_confirmations = true
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/gate"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/stamp"
`,
  )
})
beforeEach(async () => {
  await database.admin.query('delete from public.hook_calls')
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

async function exists(email: string): Promise<boolean> {
  const { rows } = await database.admin.query('select 1 from auth.users where email = $1', [email])
  return rows.length > 0
}

describe('before a user is created', () => {
  it('the hook is told who', async () => {
    const email = someone()
    expect(
      (await auth.client().auth.signUp({ email, password: 'long enough', options: { data: { a: 1 } } }))
        .error,
    ).toBeNull()
    const { rows } = await database.admin.query('select event from public.hook_calls')
    expect(rows).toHaveLength(1)
    expect(rows[0]?.event).toMatchObject({
      called_by: 'supabase_auth_admin',
      metadata: {
        name: 'before-user-created',
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        time: expect.any(String) as string,
        ip_address: '127.0.0.1',
      },
      user: { email, user_metadata: { a: 1 }, app_metadata: { provider: 'email' }, identities: [] },
    })
    expect(JSON.stringify(rows[0]?.event)).not.toContain('argon2')
  })

  it.each(['signUp', 'otp', 'invite', 'link'] as const)('it refuses with its own words: %s', async (way) => {
    const email = someone('refused')
    const admin = auth.asService().auth.admin
    const answers = {
      signUp: () => auth.client().auth.signUp({ email, password: 'long enough' }),
      otp: () => auth.client().auth.signInWithOtp({ email }),
      invite: () => admin.inviteUserByEmail(email),
      link: () => admin.generateLink({ type: 'invite', email }),
    }
    const { error } = await answers[way]()
    expect(error).toMatchObject({ status: 403, message: 'Only by invitation.' })
    expect(await exists(email)).toBe(false)
    const { rows } = await database.admin.query('select 1 from public.hook_calls')
    expect(rows).toHaveLength(0)
  })

  it('an account is not made when the hook fails or takes too long', async () => {
    for (const name of ['broken', 'slow']) {
      const email = someone(name)
      const response = await auth.request('/signup', { json: { email, password: 'long enough' } })
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('the hook broke')
      expect(await exists(email)).toBe(false)
    }
  })

  it('is not asked for people who are there already', async () => {
    const email = someone()
    await auth.asService().auth.admin.createUser({ email, email_confirm: true })
    await auth.client().auth.signInWithOtp({ email })
    const { rows } = await database.admin.query('select 1 from public.hook_calls')
    expect(rows).toHaveLength(0)
  })
})

it('adds claims to access tokens', async () => {
  const email = someone()
  await auth.asService().auth.admin.createUser({ email, password: 'long enough', email_confirm: true })
  const client = auth.client()
  await client.auth.signInWithPassword({ email, password: 'long enough' })
  const first = await client.auth.getClaims()
  expect(first.data?.claims).toMatchObject({ plan: 'pro', email, role: 'authenticated' })
  const refreshed = await client.auth.refreshSession()
  expect(refreshed.error).toBeNull()
  expect((await client.auth.getClaims()).data?.claims).toMatchObject({ plan: 'pro' })
})

it('does not start with a hook that it would not ask', async () => {
  const started = startAuth(
    database,
    '[auth.hook.before_user_created]\nenabled = true\nuri = "https://example.com/hook"\n',
  )
  await expect(started).rejects.toThrow(ConfigError)
})
