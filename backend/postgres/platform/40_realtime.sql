-- Realtime: the table that broadcasts pass through, the functions that write to it, and the publications
-- that are read from the log. Shapes, owners and grants as the realtime service of hosted Supabase leaves
-- them (its tenant schema, 2.129), so that foreign migrations and policies find what they expect.
-- Runs as supabase_admin, and may run again.

grant all on schema realtime to supabase_realtime_admin with grant option;

-- The service checks each policy as the caller, so it may assume every role that `authenticator` may assume.
grant authenticator to supabase_realtime_admin;

-- Messages ----------------------------------------------------------------------------------------------

create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  -- In UTC whatever the session's time zone is: a request may set its own, and the row would miss the
  -- partitions that exist, or the replay that looks for it.
  updated_at timestamp without time zone not null default (now() at time zone 'UTC'),
  inserted_at timestamp without time zone not null default (now() at time zone 'UTC'),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  -- Already sent when it was stored: a client's broadcast that is stored for replay.
  skip_broadcast boolean not null default false,
  -- Kept for a while only: not replayed from then on, and then removed.
  expires_at timestamptz,
  constraint messages_payload_exclusive check (payload is null or binary_payload is null),
  constraint messages_pkey primary key (id, inserted_at)
) partition by range (inserted_at);

create index if not exists messages_inserted_at_topic_index on realtime.messages using btree (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

create index if not exists messages_expires_at_index on realtime.messages (expires_at) where expires_at is not null;

alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;

grant all on realtime.messages to postgres;
-- Wide grants, since policies restrict access; without a policy no role can read or write.
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

comment on table realtime.messages is
  'Broadcasts to be sent, stored for three days. A select policy allows a caller to receive realtime.topic(), '
  'an insert policy allows it to send there; both are checked in a transaction that is rolled back.';

-- A partition for each day from yesterday to three days ahead; those past 72 hours are dropped, which
-- leaves no dead rows behind. Called every minute; safe to call at any time, by several at once.
create or replace function realtime.maintain_partitions(
  today date default (pg_catalog.clock_timestamp() at time zone 'UTC')::date
) returns void
language plpgsql
set search_path = ''
-- Dropping waits for every transaction that has sent a message, and blocks others from sending meanwhile. The
-- timeout prevents that one long transaction blocks all broadcasts; the next call tries again.
set lock_timeout = '200ms'
as $$
declare
  day date;
  name text;
  is_empty boolean;
begin
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('realtime.maintain_partitions')) then
    return;
  end if;
  for offset_days in -1..3 loop
    day := today + offset_days;
    name := 'messages_' || pg_catalog.to_char(day, 'YYYY_MM_DD');
    if pg_catalog.to_regclass('realtime.' || name) is null then
      -- Created separately and then attached, so that neither step waits for or blocks other transactions.
      execute pg_catalog.format('create table realtime.%I (like realtime.messages including all)', name);
      execute pg_catalog.format('alter table realtime.%I owner to supabase_realtime_admin', name);
      -- Nobody reads a partition by its own name; policies hang on the parent alone.
      execute pg_catalog.format('alter table realtime.%I enable row level security', name);
      execute pg_catalog.format(
        'alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)',
        name, day::timestamp, (day + 1)::timestamp
      );
    end if;
  end loop;
  for name, day in
    select child.relname, pg_catalog.to_date(pg_catalog.substr(child.relname, 10), 'YYYY_MM_DD')
    from pg_catalog.pg_inherits
    join pg_catalog.pg_class child on child.oid = inhrelid
    where inhparent = 'realtime.messages'::pg_catalog.regclass
      and child.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
  loop
    continue when day between today - 3 and today + 3;
    begin
      -- Partitions of future days, created while the clock was wrong; those with messages are dropped when they expire.
      is_empty := true;
      if day > today then
        execute pg_catalog.format('select not exists (select from realtime.%I)', name) into is_empty;
      end if;
      if is_empty then
        execute pg_catalog.format('drop table realtime.%I', name);
      end if;
    exception when lock_not_available then
      null;
    end;
  end loop;
end
$$;

alter function realtime.maintain_partitions(date) owner to supabase_realtime_admin;
revoke execute on function realtime.maintain_partitions(date) from public;
comment on function realtime.maintain_partitions(date) is
  'Creates the partitions of the day before, of this day (UTC) and of the next three, and drops those older than 72 hours.';

do $$ begin perform realtime.maintain_partitions(); end $$;

-- Speaking ----------------------------------------------------------------------------------------------

create or replace function realtime.topic() returns text
language sql stable
as $$ select nullif(current_setting('realtime.topic', true), '')::text $$;

comment on function realtime.topic() is 'The topic for which a policy on realtime.messages is checked.';

-- Security invoker: a role that may not insert into realtime.messages may not send through it either. An error is
-- a warning, since a failed broadcast must not roll back the change that it announces.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void
language plpgsql
set search_path = ''
as $$
declare
  message_id uuid;
begin
  begin
    message_id := gen_random_uuid();
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (
      message_id,
      case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(message_id)) end,
      event, topic, private, 'broadcast'
    );
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end
$$;

comment on function realtime.send(jsonb, text, text, boolean) is
  'Broadcasts a JSON payload on a topic once the transaction commits; failures are warnings.';

create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void
language plpgsql
set search_path = ''
as $$
begin
  begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (payload, event, topic, private, 'broadcast');
  exception when others then
    raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
  end;
end
$$;

comment on function realtime.send_binary(bytea, text, text, boolean) is
  'Broadcasts bytes on a topic once the transaction commits; failures are warnings.';

create or replace function realtime.broadcast_changes(
  topic_name text,
  event_name text,
  operation text,
  table_name text,
  table_schema text,
  new record,
  old record,
  level text default 'ROW'
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'schema', table_schema, 'table', table_name, 'operation', operation,
      'record', new, 'old_record', old
    ),
    event_name,
    topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

comment on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
  'For row triggers: broadcasts the row as it was and as it is.';

alter function realtime.topic() owner to supabase_realtime_admin;
alter function realtime.send(jsonb, text, text, boolean) owner to supabase_realtime_admin;
alter function realtime.send_binary(bytea, text, text, boolean) owner to supabase_realtime_admin;
alter function realtime.broadcast_changes(text, text, text, text, text, record, record, text)
  owner to supabase_realtime_admin;

grant execute on function realtime.topic() to public;
grant execute on function realtime.send(jsonb, text, text, boolean) to public;
grant execute on function realtime.send_binary(bytea, text, text, boolean) to public;
grant execute on function
  realtime.broadcast_changes(text, text, text, text, text, record, record, text) to public;

-- Ended subscriptions -----------------------------------------------------------------------------------

-- Only the embedded server has this function: a migration that finds it needs no new topic when someone loses access.
-- The row is not sent to anybody. An earlier release skips it, because it counts as sent.
create or replace function realtime.end_subscriptions(topic text, users uuid[]) returns void
language sql security definer
set search_path = ''
as $$
  insert into realtime.messages (topic, extension, event, payload, private, skip_broadcast)
  select topic, 'system', 'end_subscriptions', jsonb_build_object('users', users), true, true
  where cardinality(users) > 0
$$;

comment on function realtime.end_subscriptions(text, uuid[]) is
  'Ends the subscriptions of users to a private topic when the transaction commits. They receive nothing that is sent '
  'on the topic afterwards, in the same transaction or later. They may join it again if the policies permit it.';

alter function realtime.end_subscriptions(text, uuid[]) owner to supabase_realtime_admin;
revoke execute on function realtime.end_subscriptions(text, uuid[]) from public;
grant execute on function realtime.end_subscriptions(text, uuid[]) to postgres, service_role;

-- Ended sessions ----------------------------------------------------------------------------------------

-- A session that ends takes its sockets' private topics with it: the service listens on realtime_recheck
-- and checks that user's topics again. Only the embedded server listens; on Supabase the notification has no effect.
create or replace function realtime.notify_ended_sessions() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('realtime_recheck', ended.user_id::text)
  from (select distinct user_id from gone) ended;
  return null;
end
$$;

create or replace function realtime.notify_changed_session() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('realtime_recheck', old.user_id::text);
  return null;
end
$$;

alter function realtime.notify_changed_session() owner to supabase_realtime_admin;
revoke execute on function realtime.notify_changed_session() from public;

-- Without a user: the sockets of all users are checked again.
create or replace function realtime.notify_all_sessions() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  notify realtime_recheck;
  return null;
end
$$;

alter function realtime.notify_ended_sessions() owner to supabase_realtime_admin;
revoke execute on function realtime.notify_ended_sessions() from public;
alter function realtime.notify_all_sessions() owner to supabase_realtime_admin;
revoke execute on function realtime.notify_all_sessions() from public;

do $$
begin
  if to_regclass('auth.sessions') is null then
    return;
  end if;
  create or replace trigger realtime_notify_ended_sessions
    after delete on auth.sessions
    referencing old table as gone
    for each statement execute function realtime.notify_ended_sessions();
  -- A refresh touches its session too, and ends nothing. One that loses its second factor may lose rights.
  create or replace trigger realtime_notify_changed_session
    after update of user_id, not_after, aal on auth.sessions
    for each row
    when (old.user_id is distinct from new.user_id or old.not_after is distinct from new.not_after
      or old.aal > new.aal)
    execute function realtime.notify_changed_session();
  create or replace trigger realtime_notify_emptied_sessions
    after truncate on auth.sessions
    for each statement execute function realtime.notify_all_sessions();
  -- Which of these sessions are valid, and until when: not expired, their user neither banned nor deleted. Security
  -- definer, since row security hides these tables from other roles.
  drop function if exists realtime.live_sessions(uuid[]);
  create or replace function realtime.live_session_ends(ids uuid[])
  returns table (id uuid, ends_at timestamptz)
  language sql stable security definer
  set search_path = ''
  as $sql$
    select s.id, s.not_after
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    where s.id = any (ids) and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
  $sql$;
  alter function realtime.live_session_ends(uuid[]) owner to supabase_auth_admin;
  revoke execute on function realtime.live_session_ends(uuid[]) from public;
  grant execute on function realtime.live_session_ends(uuid[]) to supabase_realtime_admin;
end
$$;

-- Publications ------------------------------------------------------------------------------------------

do $$
begin
  -- Read by the service. Inserts only: emptying a message that was deleted is nothing to tell anyone.
  if not exists (select from pg_publication where pubname = 'supabase_realtime_messages_publication') then
    create publication supabase_realtime_messages_publication for table realtime.messages
      with (publish = 'insert');
  end if;
  -- For postgres_changes. Owned by postgres, so that migrations may add their tables.
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  alter publication supabase_realtime owner to postgres;
end
$$;
