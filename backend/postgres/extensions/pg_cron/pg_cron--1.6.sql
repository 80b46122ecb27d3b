-- The tables and functions of pg_cron 1.6, in SQL. The server (backend/jobs/cron) runs the schedule, receives changes
-- by NOTIFY pg_cron and writes the details of each run.

create schema cron;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default pg_catalog.nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default pg_catalog.current_setting('port')::integer,
  database text not null default pg_catalog.current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default pg_catalog.nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

grant select on cron.job, cron.job_run_details to public;
grant delete on cron.job_run_details to public;
grant select on sequence cron.jobid_seq, cron.runid_seq to public;

-- Not in upstream: the time up to which each job has been run. The server that updates it runs the job, once.
create table cron.job_due (
  jobid bigint primary key references cron.job on delete cascade,
  done_until timestamptz not null
);
alter table cron.job_due enable row level security;
comment on table cron.job_due is 'Up to when each job has been run: its next run is the first that its schedule names after that.';

-- Not in upstream: the caller's own jobs. Upstream writes as the owner of the extension and in the caller's name. A
-- function can't (a definer does not know its caller), but a view can: it writes with its owner's rights, and
-- current_user within it is the caller.
create view cron.own_job with (security_barrier) as
  select jobid, schedule, command, nodename, nodeport, database, username, active, jobname
  from cron.job
  where username = current_user
with check option;
-- Numbers are assigned by number_job, so that a caller can't choose the number of another's job.
alter view cron.own_job alter column jobid set default 0;
grant select, delete on cron.own_job to public;
grant insert (schedule, command, nodename, nodeport, database, username, active, jobname) on cron.own_job to public;
grant update (schedule, command, database, active) on cron.own_job to public;
comment on view cron.own_job is 'The jobs of the caller, to which cron.schedule and similar functions write.';

-- Whether pg_cron would take this for a schedule: backend/jobs/cron/parseSchedule.ts in SQL; a test compares both.
create function cron.is_schedule(schedule text) returns boolean
language plpgsql immutable strict set search_path = '' as $$
declare
  line text := pg_catalog.ltrim(pg_catalog.regexp_replace(schedule, '^([ \t]*(#[^\n]*)?\n)+', ''), E' \t');
  field text[];
  low constant integer[] := array[0, 0, 1, 1, 0];
  high constant integer[] := array[59, 23, 31, 12, 7];
  names constant text[] := array['', '', '',
    'jan feb mar apr may jun jul aug sep oct nov dec', 'sun mon tue wed thu fri sat'];
  rest text;
  item text[];
  edge text;
  at integer;
  value numeric;
begin
  if schedule ~* '^[ \t-\r]*\+?0*([1-9]|[1-5][0-9])[ \t-\r]*second(s[ \t-\r]*)?$' then
    return true;
  end if;
  if pg_catalog.octet_length(schedule) >= 1000 then
    return false;
  end if;
  if line like '@%' then
    return pg_catalog.substring(line, '^@([^ \t\n]*)') in
      ('reboot', 'restart', 'yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly');
  end if;
  field := pg_catalog.regexp_match(line,
    '^([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)[ \t]+([^ \t\n]+)');
  if field is null then
    return false;
  end if;
  for at in 1..5 loop
    continue when at = 3 and field[at] = '$';
    rest := field[at];
    loop
      -- A star, a number or a range; a step after a star or a range; and the comma before another item.
      item := pg_catalog.regexp_match(rest,
        '^(?:\*|([0-9A-Za-z]+)(?:(-)([0-9A-Za-z]+))?)(/[0-9A-Za-z]*)?(.?)');
      if item is null or item[5] = '-' and item[1] is not null and item[2] is null and item[4] is null then
        return false;
      end if;
      foreach edge in array array[item[1], item[3]] loop
        continue when edge is null;
        if pg_catalog.lower(edge) = any (pg_catalog.string_to_array(names[at], ' ')) then
          continue;
        end if;
        if edge !~ '^[0-9]+$' then
          return false;
        end if;
        value := edge::numeric;
        if value < low[at] or value > high[at] then
          return false;
        end if;
      end loop;
      if item[4] is not null then
        if (item[1] is not null and item[2] is null) or item[4] !~ '^/[0-9]+$' then
          return false;
        end if;
        value := pg_catalog.substr(item[4], 2)::numeric;
        if value < 1 or value > high[at] then
          return false;
        end if;
      end if;
      exit when item[5] <> ',';
      rest := pg_catalog.regexp_replace(rest, '^[^,]*,', '');
    end loop;
  end loop;
  return true;
end
$$;

create function cron.require_schedule(schedule text) returns void
language plpgsql set search_path = '' as $$
begin
  if not cron.is_schedule(schedule) then
    raise exception using
      errcode = '22023',
      message = 'invalid schedule: ' || schedule,
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
end
$$;

create function cron.require_connect(username text, database text) returns void
language plpgsql set search_path = '' as $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = username) then
    raise exception using
      errcode = '42501',
      message = 'cannot schedule jobs as superuser',
      detail = 'Scheduling jobs as superuser is disallowed when cron.enable_superuser_jobs is set to off.';
  end if;
  if not pg_catalog.has_database_privilege(username, database, 'connect') then
    raise exception using
      errcode = 'XX000',
      message = pg_catalog.format('User %s does not have CONNECT privilege on %s', username, database);
  end if;
end
$$;

create function cron.require_login(username text) returns void
language plpgsql set search_path = '' as $$
declare
  can_login boolean;
begin
  select rolcanlogin into can_login from pg_catalog.pg_roles where rolname = username;
  if can_login is null then
    raise exception using errcode = 'XX000', message = pg_catalog.format('role "%s" does not exist', username);
  elsif not can_login then
    raise exception using
      errcode = 'XX000',
      message = pg_catalog.format('role "%s" can not log in', username),
      detail = 'Jobs may only be run by roles that have the LOGIN attribute.';
  end if;
end
$$;

create function cron.is_superuser() returns boolean
language sql stable set search_path = '' as $$
  select rolsuper from pg_catalog.pg_roles where rolname = current_user
$$;

-- A row that is inserted through the view has no number yet, since its role has no privilege on the sequence.
create function cron.number_job() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.jobid = 0 then
    new.jobid := pg_catalog.nextval('cron.jobid_seq');
  end if;
  perform cron.require_schedule(new.schedule);
  return new;
end
$$;
create trigger number_job before insert or update on cron.job
  for each row execute function cron.number_job();

-- What a job was due for before it was made, changed or set to work is none of its runs.
create function cron.begin_job() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.schedule = new.schedule and (old.active or not new.active) then
    return null;
  end if;
  insert into cron.job_due (jobid, done_until) values (new.jobid, pg_catalog.clock_timestamp())
  on conflict (jobid) do update set done_until = greatest(job_due.done_until, excluded.done_until);
  return null;
end
$$;
create trigger begin_job after insert or update on cron.job
  for each row execute function cron.begin_job();

create function cron.job_cache_invalidate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('pg_cron', '');
  return null;
end
$$;
comment on function cron.job_cache_invalidate() is 'invalidate job cache';
create trigger cron_job_cache_invalidate after insert or update or delete or truncate on cron.job
  for each statement execute function cron.job_cache_invalidate();

create function cron.schedule_named(
  job_name text, schedule text, command text, database text, username text, active boolean
) returns bigint
language plpgsql set search_path = '' as $$
#variable_conflict use_column
declare
  job bigint;
begin
  perform cron.require_schedule(schedule);
  if username is not null then
    if not cron.is_superuser() then
      raise exception using errcode = 'XX000', message = 'must be superuser to create a job for another role';
    end if;
    perform cron.require_login(username);
  end if;
  perform cron.require_connect(
    coalesce(username, current_user), coalesce(database, pg_catalog.current_database()));
  if username is null then
    insert into cron.own_job as own (schedule, command, nodename, nodeport, database, username, active, jobname)
    values (schedule_named.schedule, schedule_named.command, 'localhost',
      pg_catalog.current_setting('port')::integer,
      coalesce(schedule_named.database, pg_catalog.current_database()), current_user,
      coalesce(schedule_named.active, true), job_name)
    on conflict (jobname, username) do update
      set schedule = excluded.schedule, command = excluded.command, database = excluded.database
    returning own.jobid into job;
  else
    insert into cron.job as j (schedule, command, database, username, active, jobname)
    values (schedule_named.schedule, schedule_named.command,
      coalesce(schedule_named.database, pg_catalog.current_database()), schedule_named.username,
      coalesce(schedule_named.active, true), job_name)
    on conflict (jobname, username) do update
      set schedule = excluded.schedule, command = excluded.command, database = excluded.database
    returning j.jobid into job;
  end if;
  return job;
end
$$;

create function cron.require_given(what text, value text) returns void
language plpgsql set search_path = '' as $$
begin
  if value is null then
    raise exception using errcode = 'XX000', message = what || ' can not be NULL';
  end if;
end
$$;

create function cron.schedule(schedule text, command text) returns bigint
language sql strict set search_path = '' as $$
  select cron.schedule_named(null, schedule, command, null, null, true)
$$;
comment on function cron.schedule(text, text) is 'schedule a pg_cron job';

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql set search_path = '' as $$
  select cron.require_given('job_name', job_name);
  select cron.require_given('schedule', schedule);
  select cron.require_given('command', command);
  select cron.schedule_named(job_name, schedule, command, null, null, true);
$$;
comment on function cron.schedule(text, text, text) is 'schedule a pg_cron job';

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint
language sql set search_path = '' as $$
  select cron.require_given('job_name', job_name);
  select cron.require_given('schedule', schedule);
  select cron.require_given('command', command);
  select cron.schedule_named(job_name, schedule, command, database, username, active);
$$;
comment on function cron.schedule_in_database(text, text, text, text, text, boolean) is 'schedule a pg_cron job';
revoke all on function cron.schedule_in_database(text, text, text, text, text, boolean) from public;

-- As in upstream, the result also covers jobs that the caller can't see.
create function cron.job_exists(job_id bigint, job_name text, owner text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from cron.job where jobid = job_id or (jobname = job_name and username = owner))
$$;

create function cron.unschedule(job_id bigint) returns boolean
language plpgsql strict set search_path = '' as $$
begin
  if not cron.job_exists(job_id, null, null) then
    raise exception using errcode = 'XX000', message = 'could not find valid entry for job ' || job_id;
  end if;
  delete from cron.own_job where jobid = job_id;
  if not found then
    delete from cron.job where jobid = job_id;
  end if;
  return true;
end
$$;
comment on function cron.unschedule(bigint) is 'unschedule a pg_cron job';

create function cron.unschedule(job_name text) returns boolean
language plpgsql strict set search_path = '' as $$
begin
  delete from cron.own_job where jobname = job_name;
  if not found then
    raise exception using
      errcode = 'XX000', message = pg_catalog.format('could not find valid entry for job ''%s''', job_name);
  end if;
  return true;
end
$$;
comment on function cron.unschedule(text) is 'unschedule a pg_cron job';

create function cron.alter_job(
  job_id bigint, schedule text default null, command text default null, database text default null,
  username text default null, active boolean default null
) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_column
declare
  is_superuser constant boolean := cron.is_superuser();
begin
  perform cron.require_given('job_id', job_id::text);
  if username is not null then
    if not is_superuser then
      raise exception using errcode = 'XX000', message = 'must be superuser to alter username';
    end if;
    perform cron.require_login(username);
    perform cron.require_connect(username, coalesce(database, pg_catalog.current_database()));
  end if;
  if database is not null then
    perform cron.require_connect(coalesce(username, current_user), database);
  end if;
  perform cron.require_schedule(schedule);
  if coalesce(schedule, command, database, username, active::text) is null then
    raise exception using
      errcode = 'XX000',
      message = 'no updates specified',
      hint = 'You must specify at least one job attribute to change when calling alter_job';
  end if;
  if is_superuser then
    update cron.job as j
    set schedule = coalesce(alter_job.schedule, j.schedule), command = coalesce(alter_job.command, j.command),
      database = coalesce(alter_job.database, j.database), username = coalesce(alter_job.username, j.username),
      active = coalesce(alter_job.active, j.active)
    where j.jobid = job_id;
  else
    update cron.own_job as j
    set schedule = coalesce(alter_job.schedule, j.schedule), command = coalesce(alter_job.command, j.command),
      database = coalesce(alter_job.database, j.database), active = coalesce(alter_job.active, j.active)
    where j.jobid = job_id;
  end if;
  if not found then
    raise exception using
      errcode = 'XX000', message = pg_catalog.format('Job %s does not exist or you don''t own it', job_id);
  end if;
end
$$;
comment on function cron.alter_job(bigint, text, text, text, text, boolean) is
  'Alter the job identified by job_id. Any option left as NULL will not be modified.';
revoke all on function cron.alter_job(bigint, text, text, text, text, boolean) from public;

do $$
begin
  -- Where there is no folder for it the script is run by itself.
  if exists (select from pg_catalog.pg_extension where extname = 'pg_cron') then
    perform pg_catalog.pg_extension_config_dump('cron.job', '');
    perform pg_catalog.pg_extension_config_dump('cron.jobid_seq', '');
    perform pg_catalog.pg_extension_config_dump('cron.job_run_details', '');
    perform pg_catalog.pg_extension_config_dump('cron.runid_seq', '');
    perform pg_catalog.pg_extension_config_dump('cron.job_due', '');
  end if;
end
$$;

-- As hosted has it after "create extension": everything is postgres', but jobs are written by the functions alone.
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    grant usage on schema cron to postgres with grant option;
    grant all on all functions in schema cron to postgres with grant option;
    grant all on all sequences in schema cron to postgres with grant option;
    grant all on all tables in schema cron to postgres with grant option;
    revoke all on table cron.job from postgres;
    grant select on table cron.job to postgres with grant option;
    -- The tables are a superuser's, and so are the functions that write to job_due: triggers of postgres', and the
    -- casts of foreign keys, would run with those rights.
    revoke trigger, references on table cron.job_due, cron.own_job from postgres;
    revoke references on table cron.job_run_details from postgres;
    alter default privileges for role supabase_admin in schema cron grant all on sequences to postgres with grant option;
    alter default privileges for role supabase_admin in schema cron grant all on tables to postgres with grant option;
    alter default privileges for role supabase_admin in schema cron grant all on functions to postgres with grant option;
    -- Nobody but a superuser may set what PostgreSQL does not know.
    grant set on parameter cron.timezone, cron.max_running_jobs, cron.log_run, cron.launch_active_jobs,
      cron.match_dom_and_dow to postgres;
  end if;
end
$$;

select pg_catalog.pg_notify('pg_cron', '');
