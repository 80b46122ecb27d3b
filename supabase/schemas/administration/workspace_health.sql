-- What is well and what is not, for owners and admins: jobs that failed or wait, and runs of pg_cron. Of a failed attempt only
-- the kind of problem is returned: an error can contain an address.

create function app.problem_kind(problem text) returns text
language sql immutable set search_path = ''
as $$
  select case
    when problem ~* '\mEAUTH\M' then 'sign_in'
    when problem ~* '\mETLS\M|certificate' then 'certificate'
    when problem ~* 'ETIMEDOUT|timed out|in time' then 'timeout'
    when problem ~* 'ECONN|EDNS|ESOCKET|ENOTFOUND|could not be reached|couldn''t connect|could not resolve|couldn''t resolve'
      then 'unreachable'
    when problem ~ '\m[45]\d\d\M' then 'refused'
    else 'other' end
$$;
comment on function app.problem_kind is
  'What kind of problem the error of a job is: sign_in, certificate, timeout, unreachable, refused (a status from 400 to 599) '
  'or other. The error itself can contain an address or a part of a message.';

create function app.queue_health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive kinds as (
      -- One step through the index for each kind, however many jobs it has.
      (select j.kind from public.jobs j where j.failed_at is null order by j.kind limit 1)
      union all
      select (select j.kind from public.jobs j where j.failed_at is null and j.kind > k.kind order by j.kind limit 1)
      from kinds k where k.kind is not null
    ), waiting as (
      select k.kind, w.jobs, w.since
      from kinds k
      cross join lateral (
        select count(*) filter (where d.error is null) as jobs, min(d.run_at) filter (where d.error is null) as since
        from (
          select j.run_at, j.error from public.jobs j
          where j.kind = k.kind and j.failed_at is null and j.run_at <= now() order by j.run_at limit 1000) d) w
      where k.kind is not null and w.jobs > 0
    ), retried as (
      select k.kind, r.jobs, r.since, r.next, r.problem
      from kinds k
      cross join lateral (
        select count(*) as jobs, min(d.created_at) as since, min(d.run_at) as next,
          mode() within group (order by app.problem_kind(d.error)) as problem
        from (
          select j.created_at, j.run_at, j.error from public.jobs j
          where j.kind = k.kind and j.failed_at is null and j.error is not null order by j.created_at limit 1000) d) r
      where k.kind is not null and r.jobs > 0
    ), failed as (
      select f.kind, count(*) as jobs, max(f.failed_at) as latest, mode() within group (order by app.problem_kind(f.error)) as problem
      from (
        select j.kind, j.failed_at, j.error from public.jobs j
        where j.failed_at > now() - interval '7 days' order by j.failed_at desc limit 1000) f
      group by f.kind
    )
    select jsonb_build_object(
      'waiting', coalesce((
        select jsonb_agg(jsonb_build_object('kind', w.kind, 'jobs', w.jobs, 'since', w.since) order by w.since, w.kind)
        from waiting w), '[]'),
      'retried', coalesce((
        select jsonb_agg(jsonb_build_object('kind', r.kind, 'jobs', r.jobs, 'since', r.since, 'next', r.next,
          'problem', r.problem) order by r.since, r.kind)
        from retried r), '[]'),
      'failed', coalesce((
        select jsonb_agg(jsonb_build_object('kind', f.kind, 'jobs', f.jobs, 'latest', f.latest, 'problem', f.problem)
          order by f.latest desc, f.kind)
        from failed f), '[]'))
  );
end
$$;
comment on function app.queue_health is
  'By kind: jobs that are due and have not been attempted in vain, those whose last attempt failed, and those that have failed '
  'for good within a week, each counted up to 1,000, with the most frequent kind of problem. No errors, owners or contents: a '
  'message of a mail server can contain an address.';

create function app.cron_health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    -- The latest runs by their primary key: the table has no other index, and a run for each job and minute.
    with runs as materialized (
      select d.jobid, d.status, d.start_time, d.end_time, d.runid
      from cron.job_run_details d order by d.runid desc limit 5000
    ), jobs as (
      select j.jobid, j.jobname, j.active from cron.job j where j.jobname like 'linnet: %' order by j.jobname limit 100
    )
    select jsonb_build_object(
      'since', (select min(r.start_time) from runs r),
      'jobs', coalesce(jsonb_agg(jsonb_build_object(
        'name', substr(j.jobname, 9), 'active', j.active,
        'last_run', last.start_time, 'succeeded', last.status = 'succeeded',
        'failures', coalesce(f.failures, 0)) order by j.jobname), '[]'))
    from jobs j
    left join lateral (
      select r.start_time, r.status from runs r
      where r.jobid = j.jobid and r.status in ('succeeded', 'failed') order by r.runid desc limit 1) last on true
    left join (select r.jobid, count(*) as failures from runs r where r.status = 'failed' group by r.jobid) f on f.jobid = j.jobid
  );
exception when others then
  -- Hosted projects may not permit reading these tables, and other servers may not have them.
  return null;
end
$$;
comment on function app.cron_health is
  'Linnet''s own scheduled jobs, each with its last finished run and its failures within the last 5,000 runs of all jobs, which '
  'are those since `since`. Null if this cannot be read. Without commands and results of runs.';

-- Findings of the server ---------------------------------------------------------------------------------

-- An embedded server checks itself and stores what it found (backend/health). On hosted projects the table is empty.
create table public.server_checks (
  is_only_row boolean primary key default true constraint server_checks_once check (is_only_row),
  findings jsonb not null
    constraint server_checks_list check (jsonb_typeof(findings) = 'array')
    constraint server_checks_size check (octet_length(findings::text) <= 65536),
  reported_at timestamptz not null default now()
);
comment on table public.server_checks is
  'What the server last found about itself: codes, states, numbers and times; no addresses, paths or errors. At most one row. '
  'No access for clients.';
alter table public.server_checks enable row level security;
revoke all on public.server_checks from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.server_checks to service_role;

create function app.server_health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  database_bytes bigint;
begin
  begin
    database_bytes := pg_catalog.pg_database_size(current_database());
  exception when others then
    database_bytes := null;
  end;
  return jsonb_build_object(
    'queue', app.queue_health(), 'cron', app.cron_health(), 'database_bytes', database_bytes,
    'restore', (
      select jsonb_build_object('restored_at', r.restored_at, 'recovered_to', r.recovered_to)
      from public.restores r where r.resumed_at is null order by r.restored_at desc limit 1),
    'push', jsonb_build_object(
      'has_keys', coalesce(nullif(app.read_secret('linnet_push_keys'), 'null'), '') <> '',
      'has_contact', exists (select from public.settings s where s.key = 'push_contact' and s.value <> 'null')),
    'checks', (
      select jsonb_build_object('reported_at', c.reported_at, 'findings', c.findings) from public.server_checks c));
end
$$;
comment on function app.server_health is
  'What the database knows about the whole installation, and what the server last found about itself; `checks` is null where '
  'no server reports.';

create function public.store_server_checks(findings jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.server_checks (findings) values (store_server_checks.findings)
  on conflict (is_only_row) do update set findings = excluded.findings, reported_at = now();
  return app.server_health();
end
$$;
comment on function public.store_server_checks is
  'For service_role: stores what the server found about itself, at most 64 KiB, and returns what the database knows.';

create function public.request_server_checks(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if app.is_first_workspace(workspace) then perform pg_catalog.pg_notify('linnet_server_checks', ''); end if;
  return '{}'::jsonb;
end
$$;
comment on function public.request_server_checks is
  'Requests that the server checks itself now. It stores what it finds within a minute. Has an effect only for owners and admins '
  'of the first workspace, and where a server reports.';

create function public.workspace_health(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  mail_off_until text;
  mail_is_fixed boolean;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  select s.value #>> '{}', s.is_fixed into mail_off_until, mail_is_fixed from public.settings s where s.key = 'mail_off_until';
  return jsonb_build_object(
    'checked_at', now(),
    'files', (
      select jsonb_build_object('used_bytes', s.used_bytes, 'max_bytes', s.max_bytes)
      from public.workspace_storage s where s.workspace_id = workspace),
    'mail', jsonb_build_object(
      'state', case when mail_off_until = 'infinity' then 'off'
        when mail_off_until::timestamptz > now() then 'no_server'
        -- The function reports a missing mail server when the first mail is due: nothing is known before.
        when exists (select from public.mail_deliveries d where d.workspace_id = workspace) then 'on' else 'unknown' end,
      -- Whether linnet.toml of the server turns them off.
      'is_fixed', coalesce(mail_is_fixed, false),
      'rejected', (
        select count(*) from (
          select from public.mail_deliveries d
          where d.workspace_id = workspace and d.attempted_at > now() - interval '7 days' and d.is_rejected limit 1000) r),
      'failed_invitations', (
        select count(*) from (
          select from public.invitations i
          where i.workspace_id = workspace and i.created_at > now() - interval '7 days'
            and i.mail_state in ('rejected', 'failed') and i.revoked_at is null limit 1000) i)),
    'disabled_webhooks', (
      select count(*) from (
        select from public.outgoing_webhooks w
        join public.channels c on c.id = w.channel_id
        where c.workspace_id = workspace and w.disabled_at is not null limit 1000) w),
    'server', case when app.is_first_workspace(workspace) then app.server_health() end);
end
$$;
comment on function public.workspace_health is
  'What is well and what is not in a workspace, for its owners and admins: storage, mails, webhooks, and `server` for those of the '
  'first workspace: see app.server_health. Each count is bounded; no errors, names or contents.';

-- Settings of the server ----------------------------------------------------------------------------------

-- An embedded server stores its settings in a file (backend/serverSettings). These functions decide who may change them, and
-- record the changes.

create function public.check_server_owner(workspace uuid, changes boolean default false) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_server_owner(workspace);
  if changes then perform app.require_reauthentication(); end if;
  return jsonb_build_object('profile_id', app.my_profile_id());
end
$$;
comment on function public.check_server_owner is
  'Returns the profile of the caller if they may see the settings of the server: owners of the first workspace. With `changes`: if '
  'they may change them now.';

create function public.record_server_settings(workspace uuid, profile uuid, settings text[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if cardinality(record_server_settings.settings) not between 1 and 100
    or exists (select from unnest(record_server_settings.settings) s where s !~ '^[a-z_]{1,30}(\.[a-z_]{1,30}){1,4}$') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  insert into public.audit_log (workspace_id, actor_id, action, target)
  values (record_server_settings.workspace, profile, 'server.settings_changed',
    jsonb_build_object('settings', to_jsonb(record_server_settings.settings)));
  return '{}'::jsonb;
end
$$;
comment on function public.record_server_settings is
  'For service_role: records that an owner has changed settings of the server: 1–100 names, never values.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.workspace_health, public.request_server_checks, public.store_server_checks,
  public.check_server_owner, public.record_server_settings
  from public, anon, authenticated, service_role;
grant execute on function public.workspace_health, public.request_server_checks, public.check_server_owner to authenticated;
grant execute on function public.store_server_checks, public.record_server_settings to service_role;
