/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leavesSessionState } from '../../backend/rest/reload/leavesSessionState.ts'
import { testDatabases, type TestDatabase } from './support/testDatabases.ts'

/** What `authenticated` may do to each table; `anon` may do nothing. An object that is missing here fails. */
const tableGrants: Record<string, string> = {
  account_deletions: '',
  activity_markers: '',
  application_grants: 'delete, select, insert(client_id, scopes), update(client_id, scopes)',
  attachments: 'select',
  audit_log: '',
  blocks: 'select',
  bot_commands: '',
  bots: 'select(created_at, description, profile_id, responsible_id, workspace_id)',
  channel_bookmarks: 'select',
  channel_counters: 'select',
  channel_members: 'select',
  channel_removals: '',
  channel_member_state: 'select, update(muted, notify, position, section_id, starred)',
  channel_storage: '',
  channels: 'select',
  command_invocations: '',
  command_responses: 'select',
  custom_emoji: 'select',
  default_channels: '',
  device_sign_ins: '',
  ended_memberships: '',
  ended_sessions: '',
  recovery_codes: '',
  drafts: 'select',
  file_deletion_queue: '',
  file_texts: '',
  heartbeats: '',
  imported_people: '',
  imports: '',
  incoming_webhooks: '',
  invitation_channels: 'select',
  invitations:
    'select(created_at, email, expires_at, id, invited_by, max_uses, revoked_at, role, uses, workspace_id)',
  jobs: '',
  join_requests: '',
  link_previews: '',
  listed_files: '',
  mail_deliveries: '',
  mail_messages: '',
  member_addresses: '',
  mentions: 'select',
  message_changes: '',
  message_edits: '',
  message_previews: '',
  message_revisions: 'select',
  message_search: '',
  messages: 'select',
  notification_preferences:
    'select, insert(keywords, level, mail, mail_language, may_interrupt, quiet_days, quiet_from, quiet_to, shares_reads, time_zone, workspace_id), update(keywords, level, mail, mail_language, may_interrupt, quiet_days, quiet_from, quiet_to, shares_reads, time_zone, workspace_id)',
  outgoing_webhooks: '',
  person_storage: '',
  pins: 'select',
  presence: '',
  presence_changes: '',
  profiles:
    'select(avatar, created_at, id, kind, name, presence, presence_until, pronouns, status_emoji, status_expires_at, status_text, time_zone, title), update(avatar, name, presence, presence_until, pronouns, status_emoji, status_expires_at, status_text, time_zone, title)',
  push_subscriptions: '',
  rate_limits: '',
  reactions: 'select',
  reminders: 'select',
  reports: '',
  restores: '',
  retention_chains: '',
  retention_receipts: '',
  retention_rules: '',
  saved_messages: 'select',
  saved_searches: 'delete, select, insert(id, name, query, workspace_id), update(name)',
  scheduled_messages: 'select',
  search_segments: '',
  search_vocabulary: '',
  sections:
    'delete, select, insert(collapsed, id, name, position, workspace_id), update(collapsed, name, position)',
  server_checks: '',
  settings: '',
  sign_up_requests: '',
  silences: 'select',
  slow_mode_messages: '',
  stored_files: '',
  thread_members: 'select',
  user_group_members: 'select',
  user_groups: 'select',
  workspace_counters: '',
  workspace_domains: '',
  workspace_members: 'select(created_at, deactivated_at, expires_at, profile_id, role, state, workspace_id)',
  workspace_storage: '',
  workspaces: 'select',
}

/** What an application reads with a scope. Each other table is closed to applications, as a new one is until it stands here. */
const tableScopes: Record<string, string> = {
  attachments: 'messages:read',
  bots: 'channels:read',
  channel_bookmarks: 'channels:read',
  channel_counters: 'channels:read',
  channel_members: 'channels:read',
  channel_member_state: 'channels:read',
  channels: 'channels:read',
  custom_emoji: 'channels:read',
  mentions: 'messages:read',
  message_revisions: 'messages:read',
  messages: 'messages:read',
  pins: 'messages:read',
  profiles: 'channels:read',
  reactions: 'messages:read',
  sections: 'channels:read',
  thread_members: 'messages:read',
  user_group_members: 'channels:read',
  user_groups: 'channels:read',
  workspace_members: 'channels:read',
  workspaces: 'channels:read',
}

/** Functions that somebody else than `authenticated`, or not only they, may call. */
const functionGrants: Record<string, string[]> = {
  'public.ended_session': ['anon'],
  'public.view_invitation': ['anon', 'authenticated'],
  'public.request_sign_up': ['anon', 'authenticated'],
  'public.web_channel_page': ['anon'],
  'public.before_user_created': ['supabase_auth_admin'],
  'public.register_setup_token': ['service_role'],
  'public.register_server_url': ['service_role'],
  'public.check_task': ['service_role'],
  'public.pause_outgoing': ['service_role'],
  'public.resume_outgoing': ['service_role'],
  'public.store_server_checks': ['service_role'],
  'public.record_server_settings': ['service_role'],
  'public.claim_pushes': ['service_role'],
  'public.deliver_webhooks': ['service_role'],
  'public.claim_sign_in': ['service_role'],
  'public.take_sign_in': ['service_role'],
  'public.finish_pushes': ['service_role'],
  'public.push_keys': ['service_role'],
  'public.report_push': ['service_role'],
  'public.claim_invitations': ['service_role'],
  'public.claim_mails': ['service_role'],
  'public.begin_invitation': ['service_role'],
  'public.begin_mail': ['service_role'],
  'public.finish_invitations': ['service_role'],
  'public.claim_account_mails': ['service_role'],
  'public.begin_account_mail': ['service_role'],
  'public.finish_account_mails': ['service_role'],
  'public.finish_mails': ['service_role'],
  'public.report_no_mail_server': ['service_role'],
  'public.unsubscribe_mail': ['service_role'],
  'public.read_webhook': ['service_role'],
  'public.post_by_webhook': ['service_role'],
  'public.replace_by_webhook': ['service_role'],
  'public.finish_command': ['service_role'],
  'public.claim_link_previews': ['service_role'],
  'public.begin_link_previews': ['service_role'],
  'public.store_link_preview': ['service_role'],
  'public.finish_link_previews': ['service_role'],
  'public.claim_file_text': ['service_role'],
  'public.store_file_text': ['service_role'],
  'public.fail_file_text': ['service_role'],
  'public.claim_metadata_removal': ['service_role'],
  'public.finish_metadata_removal': ['service_role'],
  'public.respond_to_command': ['service_role'],
  'public.list_files_to_delete': ['service_role'],
  'public.confirm_files_deleted': ['service_role'],
  // The data API calls it before each request of any role.
  'app.check_request': ['anon', 'authenticated', 'service_role'],
  // The policy of files of channels on the web calls them.
  'app.is_web_download': ['anon'],
  'app.can_read_web_file': ['anon'],
  // Check constraints call it with the role that writes.
  'app.bound_marks': ['authenticated', 'service_role'],
  'app.combining_marks': ['authenticated', 'service_role'],
  'app.invisible_characters': ['authenticated', 'service_role'],
  'app.is_emoji': ['authenticated', 'service_role'],
  'app.is_legible': ['authenticated', 'service_role'],
  'app.is_legible_file_name': ['service_role'],
  'app.is_visible': ['authenticated', 'service_role'],
  'app.name_key': ['authenticated', 'service_role'],
  'app.are_legible_lines': ['authenticated', 'service_role'],
}
/** Functions that policies call; all others in `app` are only for definer functions. */
const usedByPolicies = [
  'can_subscribe',
  'can_read_avatar',
  'can_read_emoji',
  'can_read_file',
  'can_read_icon',
  'can_read_preview',
  'can_upload',
  'can_upload_emoji',
  'can_upload_icon',
  'has_scope',
  'is_first_party_session',
  'is_oauth_client',
  'my_active_profile_id',
  'my_edit_history_workspace_ids',
  'my_full_workspace_ids',
  'my_fully_readable_channel_ids',
  'my_guest_group_members',
  'my_history_starts',
  'my_managed_workspace_ids',
  'my_visible_profile_ids',
  'my_profile_id',
  'my_readable_channels',
  'my_workspace_ids',
  'owns_unattached_upload',
  'is_scheduled_file',
  'am_silenced',
  'is_permitted_file_operation',
  'workspace_in_emoji_path',
  'workspace_in_icon_path',
]

const readWire = (file: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'wire', file), 'utf8')
const commands = [
  ...readWire('commands.ts')
    .split('export interface Commands')[1]!
    .split('\n}\n')[0]!
    .matchAll(/^ {2}(\w+): \{/gm),
].map((match) => match[1]!)

describe.each(testDatabases)('inventory on $name', ({ open }) => {
  let database: TestDatabase
  let client: Client
  const list = async (sql: string): Promise<string[]> => {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows.map((row) => String(row[0]))
  }
  const ours = `in ('public'::regnamespace, 'app'::regnamespace)`
  /** In a schema that no client reaches; functions of the database query it. */
  const isInternalView = `c.relkind = 'v' and c.relnamespace = 'app'::regnamespace`

  beforeAll(async () => {
    database = await open()
    client = new Client(database.config('postgres'))
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.stop()
  })

  it('guards each table by row security, a comment and a primary key', async () => {
    const tables = `pg_class c where c.relnamespace ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not (${isInternalView})`
    expect(await list(`select relname from ${tables} order by relname`)).toEqual(
      Object.keys(tableGrants).toSorted(),
    )
    expect(await list(`select relname from ${tables} and relkind <> 'r'`)).toEqual([])
    expect(await list(`select relname from ${tables} and not relrowsecurity`)).toEqual([])
    expect(await list(`select relname from ${tables} and obj_description(c.oid) is null`)).toEqual([])
    expect(await list(`select relname from ${tables} and relowner <> 'postgres'::regrole`)).toEqual([])
    expect(
      await list(
        `select relname from ${tables} and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
      ),
    ).toEqual([])
  })

  it('comments each view, which ignores policies, and gives clients no access to it', async () => {
    const views = `pg_class c where c.relnamespace ${ours} and ${isInternalView}`
    expect(await list(`select relname from ${views} order by relname`)).toEqual(['own_rows'])
    expect(await list(`select relname from ${views} and obj_description(c.oid) is null`)).toEqual([])
    expect(
      await list(`select relname from ${views} and exists (
        select from unnest(array['anon', 'authenticated', 'service_role']) role
        where has_any_column_privilege(role, c.oid, 'select, insert, update, references')
          or has_table_privilege(role, c.oid, 'delete, truncate, trigger'))`),
    ).toEqual([])
  })

  it('has a policy for each table, or a comment that denies access to clients', async () => {
    const closed = `coalesce(obj_description(c.oid) ~ '\\. No access for clients\\.$', false)`
    const tables = `pg_class c where c.relnamespace ${ours} and c.relkind in ('r', 'p')`
    const hasPolicy = 'exists (select from pg_policy p where p.polrelid = c.oid)'
    expect(await list(`select relname from ${tables} and not ${closed} and not ${hasPolicy}`)).toEqual([])
    expect(await list(`select relname from ${tables} and ${closed} and ${hasPolicy}`)).toEqual([])
    expect(
      await list(
        `select relname from ${tables} and ${closed} and (
           has_any_column_privilege('authenticated', c.oid, 'select, insert, update, references')
           or has_table_privilege('authenticated', c.oid, 'delete, truncate, trigger')
           or has_any_column_privilege('anon', c.oid, 'select, insert, update, references'))`,
      ),
    ).toEqual([])
    expect(await list(`select relname from ${tables} and ${closed}`)).not.toEqual([])
  })

  it('refuses control characters in each bounded text, except messages and addresses that commands check', async () => {
    const { rows } = await client.query<{ column: string }>(
      `select t.relname || '.' || a.attname as column
       from pg_constraint c
       join pg_class t on t.oid = c.conrelid and t.relnamespace = 'public'::regnamespace
       join pg_attribute a on a.attrelid = t.oid and a.attnum = any (c.conkey)
       where c.contype = 'c' and pg_get_constraintdef(c.oid) like '%char_length(%' and not exists (
         select from pg_constraint o
         where o.conrelid = t.oid and o.contype = 'c' and a.attnum = any (o.conkey)
           and pg_get_constraintdef(o.oid) ~ 'legible|\\[\\^|cntrl|~ ''\\^')
       order by 1`,
    )
    expect(rows.map(({ column }) => column)).toEqual([
      'bot_commands.url',
      'command_invocations.text',
      'drafts.body',
      'messages.body',
      'outgoing_webhooks.url',
      'push_subscriptions.endpoint',
      'push_subscriptions.problem',
      'scheduled_messages.body',
    ])
  })

  it('indexes each foreign key', async () => {
    expect(
      await list(
        `select conrelid::regclass || ' ' || conname from pg_constraint f
         where contype = 'f' and connamespace ${ours} and not exists (
           select from pg_index i
           where i.indrelid = f.conrelid
             and (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(f.conkey)] @> f.conkey)`,
      ),
    ).toEqual([])
  })

  it('has no two indexes of the same columns', async () => {
    expect(
      await list(
        `select string_agg(indexrelid::regclass::text, ', ') from pg_index i join pg_class c on c.oid = i.indrelid
         where c.relnamespace ${ours}
         group by indrelid, indkey, pg_get_expr(indpred, indrelid), pg_get_expr(indexprs, indrelid) having count(*) > 1`,
      ),
    ).toEqual([])
  })

  it('deletes the own rows of a person who is erased', async () => {
    const tables = `information_schema.view_table_usage u where view_schema = 'app' and view_name = 'own_rows'
      and exists (select from pg_attribute where attrelid = ('public.' || table_name)::regclass and attname = 'profile_id')`
    expect(await list(`select table_name from ${tables}`)).toContain('drafts')
    expect(
      await list(
        `select table_name from ${tables} and not exists (
           select from pg_proc where oid = 'app.erase_profile'::regproc
             and prosrc ~ ('delete from public\\.' || table_name || ' '))`,
      ),
    ).toEqual([])
  })

  it('gives each role what is declared, and nothing else', async () => {
    for (const role of ['anon', 'authenticated', 'public']) {
      const held: Record<string, string> = {}
      for (const table of Object.keys(tableGrants)) {
        const whole = await list(
          `select lower(a.privilege_type) from pg_class c, aclexplode(c.relacl) a
           where c.oid = 'public.${table}'::regclass
             and a.grantee = ${role === 'public' ? '0' : `'${role}'::regrole`} order by 1`,
        )
        const byColumn = await list(
          `select lower(a.privilege_type) || '(' || string_agg(t.attname, ', ' order by t.attname) || ')'
           from pg_attribute t, aclexplode(t.attacl) a
           where t.attrelid = 'public.${table}'::regclass
             and a.grantee = ${role === 'public' ? '0' : `'${role}'::regrole`} group by a.privilege_type order by 1`,
        )
        held[table] = [...whole, ...byColumn].join(', ')
      }
      const nothing = Object.fromEntries(Object.keys(tableGrants).map((table) => [table, '']))
      expect(held, role).toEqual(role === 'authenticated' ? tableGrants : nothing)
    }
    expect(
      await list(
        `select c.relname from pg_class c where c.relnamespace ${ours} and c.relkind = 'r'
           and not has_table_privilege('service_role', c.oid, 'select, insert, update, delete')`,
      ),
    ).toEqual([])
  })

  it('grants no role but the owner a privilege on a sequence', async () => {
    const sequences = `pg_class c where c.relnamespace ${ours} and c.relkind = 'S'`
    expect(await list(`select relname from ${sequences} order by 1`)).not.toEqual([])
    expect(
      await list(
        `select s.relname || ': ' || a.grantee::regrole || ' ' || lower(a.privilege_type)
         from (select * from ${sequences}) s, aclexplode(s.relacl) a where a.grantee <> s.relowner order by 1`,
      ),
    ).toEqual([])
  })

  it('a new function or procedure can be executed by its owner only, without a statement that revokes it', async () => {
    await client.query('begin')
    try {
      await client.query(`create function app.new_function() returns void language sql as ''`)
      await client.query(`create procedure app.new_procedure() language sql as ''`)
      const acl = `select proacl::text from pg_proc
        where pronamespace = 'app'::regnamespace and proname in ('new_function', 'new_procedure')`
      expect(await list(acl)).toEqual(['{postgres=X/postgres}', '{postgres=X/postgres}'])
    } finally {
      await client.query('rollback')
    }
  })

  it('no trigger catches errors that it does not name', async () => {
    const triggers = `pg_proc p where p.pronamespace ${ours} and p.prorettype = 'trigger'::regtype`
    expect(await list(`select proname from ${triggers} and p.prosrc ~ 'exception'`)).not.toEqual([])
    expect(await list(`select proname from ${triggers} and p.prosrc ~* 'when\\s+others'`)).toEqual([])
  })

  it('each function has a fixed search path, a comment, and the declared grants', async () => {
    const functions = `pg_proc p where p.pronamespace ${ours}`
    const name = `p.pronamespace::regnamespace || '.' || p.proname`
    expect(
      await list(
        `select ${name} from ${functions} and p.prokind = 'f'
           and coalesce(array_to_string(p.proconfig, ','), '') !~ 'search_path=""' order by 1`,
      ),
      // With a search path they would be called, in place of being a part of the query or expression that calls them.
    ).toEqual(['app.hit_score', 'app.message_as_json', 'app.search_segment'])
    // A procedure with a search path could not commit; jobs call it.
    expect(
      await list(
        `select ${name} from ${functions} and p.prokind = 'p'
           and (p.prosecdef or p.pronamespace <> 'app'::regnamespace)`,
      ),
    ).toEqual([])
    expect(await list(`select ${name} from ${functions} and obj_description(p.oid) is null`)).toEqual([])
    expect(await list(`select ${name} from ${functions} and p.proowner <> 'postgres'::regrole`)).toEqual([])
    expect(await list(`select ${name} from ${functions} group by 1 having count(*) > 1`)).toEqual([])
    expect(
      await list(
        `select ${name} from ${functions} and p.prokind = 'f' and p.prorettype not in ('jsonb'::regtype, 'json'::regtype)
           and p.pronamespace = 'public'::regnamespace`,
      ),
    ).toEqual([])
    const { rows } = await client.query<{ name: string; roles: string[] | null }>(
      `select ${name} as name, (
         select array_agg(case a.grantee when 0 then 'public' else a.grantee::regrole::text end order by 1)
         from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
         where a.grantee <> p.proowner) as roles
       from ${functions} order by 1`,
    )
    const declared = (name: string): string[] => {
      if (functionGrants[name]) return functionGrants[name]
      const [schema, called] = name.split('.') as [string, string]
      return (schema === 'public' ? commands : usedByPolicies).includes(called) ? ['authenticated'] : []
    }
    for (const { name, roles } of rows) expect(roles ?? [], name).toEqual(declared(name))
    const made = rows.map((row) => row.name)
    for (const command of commands) expect(made, command).toContain(`public.${command}`)
  })

  it('each function that inserts a message publishes it, and no trigger does', async () => {
    const inserting = `prosrc ~ 'insert into public\\.messages\\M'`
    expect(await list(`select proname from pg_proc where ${inserting} order by 1`)).toEqual([
      'insert_message',
      'move_message',
      'post_system_message',
    ])
    expect(
      await list(
        `select proname from pg_proc where ${inserting}
           and prosrc !~ 'returning \\* into (\\w+);.*app\\.publish_new_message\\(\\1,'`,
      ),
    ).toEqual([])
    expect(
      await list(
        `select tgname from pg_trigger
         where tgrelid = 'public.messages'::regclass and not tgisinternal and tgtype & 4 = 4`,
      ),
    ).toEqual([])
  })

  it('no function passes a value to another one by a setting of the session', async () => {
    expect(
      await list(
        `select proname from pg_proc where pronamespace ${ours} and prosrc ~ '(set_config|current_setting)\\(''app\\.'`,
      ),
    ).toEqual([])
  })

  it('each command checks the caller’s right first, since definer functions bypass row security', async () => {
    const { rows } = await client.query<{ name: string; source: string }>(
      `select proname as name, prosrc as source from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef and has_function_privilege('authenticated', oid, 'execute')`,
    )
    const signedIn = commands.filter(
      (name) => functionGrants[`public.${name}`]?.includes('authenticated') ?? true,
    )
    expect(rows.length).toBe(signedIn.length)
    for (const { name, source } of rows) {
      const checkAt = source.search(/app\.(require_\w+|is_session_alive)\(/)
      const touches = source.search(/(from|into|update|join) (public|auth|storage|realtime)\./)
      expect(checkAt, name).toBeGreaterThan(-1)
      expect(touches === -1 || checkAt < touches, name).toBe(true)
    }
  })

  it('each policy is named by a sentence, applies to authenticated, except for files on the web, and is evaluated once per statement', async () => {
    const { rows } = await client.query<{
      name: string
      relation: string
      roles: string
      comment: string | null
      rule: string
    }>(
      `select p.polname as name, p.polrelid::regclass::text as relation,
         array(select r::regrole::text from unnest(p.polroles) r)::text as roles, obj_description(p.oid) as comment,
         concat(pg_get_expr(p.polqual, p.polrelid), ' ', pg_get_expr(p.polwithcheck, p.polrelid)) as rule
       from pg_policy p join pg_class c on c.oid = p.polrelid
         -- The platform's own, which no caller reaches.
         and c.relnamespace not in (select oid from pg_namespace where nspname in ('cron', 'linnet_platform'))`,
    )
    expect(rows.length).toBeGreaterThan(20)
    for (const policy of rows) {
      const label = `${policy.relation}: ${policy.name}`
      expect(policy.name, label).toMatch(/^[a-z]+( [a-z]+){2,}$/)
      expect(policy.roles, label).toBe(
        policy.name === 'anyone reads files of channels on the web' ? '{anon}' : '{authenticated}',
      )
      expect(/^(storage|realtime)\./.test(policy.relation) ? 'elsewhere' : policy.comment, label).toBeTruthy()
      expect(policy.rule.trim(), label).not.toBe('true')
      expect(policy.rule.replaceAll(/\( SELECT auth\.\w+\(\)/g, ''), label).not.toMatch(/auth\.\w+\(\)/)
      expect(policy.rule, label).not.toMatch(/user_metadata/)
    }
    const many = await list(
      `select polrelid::regclass || ' ' || polcmd::text from pg_policy where polrelid <> 'storage.objects'::regclass
       group by polrelid, polcmd, polpermissive having count(*) > 1`,
    )
    expect(many).toEqual([])
    expect(
      await list(
        `select polname from pg_policy where polrelid = 'realtime.messages'::regclass and polcmd <> 'r'`,
      ),
    ).toEqual([])
  })

  it('limits applications to a scope in each table that clients access', async () => {
    const { rows } = await client.query<{ table: string; scope: string | null; writing: string | null }>(
      `select c.relname as table, case when pg_get_expr(p.polqual, c.oid) ~ '^\\( SELECT app\\.is_first_party_session\\(\\)' then 'own session'
           else substring(pg_get_expr(p.polqual, c.oid) from '^\\( SELECT app\\.has_scope\\(''([a-z:]+)''::text\\)') end as scope,
         pg_get_expr(p.polwithcheck, c.oid) as writing
       from pg_class c left join pg_policy p on p.polrelid = c.oid and not p.polpermissive and p.polcmd = '*'
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and has_any_column_privilege('authenticated', c.oid, 'select, insert, update')`,
    )
    const scopes = Object.fromEntries(rows.map(({ table, scope }) => [table, scope]))
    expect(
      Object.fromEntries(Object.keys(scopes).map((table) => [table, tableScopes[table] ?? 'own session'])),
    ).toEqual(scopes)
    const written = rows.filter(
      ({ scope, writing }) => scope !== 'own session' && !writing?.includes('app.is_first_party_session()'),
    )
    expect(written).toEqual([])
  })

  it('creates nothing but policies where the services live', async () => {
    for (const [catalogue, namespace, owner] of [
      ['pg_class', 'relnamespace', 'relowner'],
      ['pg_proc', 'pronamespace', 'proowner'],
    ]) {
      expect(
        await list(
          `select oid from ${catalogue} where ${owner} = 'postgres'::regrole
             and ${namespace} in ('auth'::regnamespace, 'storage'::regnamespace, 'realtime'::regnamespace)`,
        ),
      ).toEqual([])
    }
  })

  it('keeps all buckets private', async () => {
    expect(await list('select id from storage.buckets where public order by id')).toEqual([])
    expect(await list('select id from storage.buckets order by id')).toEqual(['avatars', 'files', 'previews'])
  })

  it('gives each update and delete a condition, since hosted projects refuse others', async () => {
    const sources = await list(`select prosrc from pg_proc p where p.pronamespace ${ours}`)
    const statements = sources
      .flatMap((source) => source.replaceAll(/--.*$/gm, '').split(/;|\bon conflict\b/))
      .filter(
        (statement) =>
          /^\s*(update|delete from)\s/m.test(statement) && !/for (no key )?update/.test(statement),
      )
    expect(statements.length).toBeGreaterThan(15)
    for (const statement of statements) expect(statement).toMatch(/\bwhere\b/)
  })

  it('has no function that may change session state, after which the data API would reset the session', async () => {
    expect(await leavesSessionState(client)).toBe(false)
  })

  it('fails only with names that the wire knows', async () => {
    const sources = (await list(`select prosrc from pg_proc p where p.pronamespace ${ours}`)).join('\n')
    const names = new Set([...sources.matchAll(/message = '(\w+)'/g)].map((match) => match[1]!))
    for (const match of sources.matchAll(/require_name\([\w.]+, '(\w+)'\)/g)) names.add(match[1]!)
    const known = [
      ...readWire('failures.ts')
        .split('export type FailureName')[1]!
        .split('\n\n')[0]!
        .matchAll(/'(\w+)'/g),
    ].map((match) => match[1]!)
    expect([...names].toSorted()).toEqual(known.toSorted())
  })
})
