-- Who is notified of a message, and how.
--
-- Preferences are rows of their owner. One pure function decides from facts of the message, preferences and devices; one
-- query evaluates it for all members of a channel. Whoever delivers (pages, push, mail) uses its result.

-- Levels of channels -----------------------------------------------------------------------------------

alter table public.channel_state drop constraint channel_state_notify_known;
alter table public.channel_state add constraint channel_state_notify_known
  check (notify in ('default', 'all', 'mentions', 'nothing'));
alter table public.channel_state alter column notify set default 'default';
comment on column public.channel_state.notify is
  'Of which messages the person is notified. `default`: of all in direct conversations, in channels as '
  'notification_preferences.level.';
alter table public.channel_state disable trigger user;
update public.channel_state set notify = 'default' where notify = 'mentions';
alter table public.channel_state enable trigger user;

create or replace function app.channel_state_as_json(state public.channel_state) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'last_read_seq', coalesce(state.last_read_seq, 0), 'read_version', coalesce(state.read_version, 0),
    'notify', coalesce(state.notify, 'default'), 'muted', coalesce(state.muted, false),
    'starred', coalesce(state.starred, false), 'section_id', state.section_id, 'position', state.position)
$$;

create or replace function app.channel_entries_as_json(viewer uuid, ids uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select json_agg((
      select entry from (
        select
          (select o from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.created_by, c.created_at,
              case when c.kind in ('direct', 'group') then (
                select json_agg(p.profile_id order by p.profile_id) from public.channel_members p
                where p.channel_id = c.id) end as people) o) as channel,
          (select o from (select k.last_seq, k.rev, k.meta_rev, k.epoch, k.change_id) o) as counters,
          m.profile_id is not null as member, m.role as channel_role,
          case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end as history_from_seq,
          (select o from (
            select coalesce(s.last_read_seq, 0) as last_read_seq, coalesce(s.read_version, 0) as read_version,
              coalesce(s.notify, 'default') as notify, coalesce(s.muted, false) as muted,
              coalesce(s.starred, false) as starred, s.section_id, s.position) o) as state,
          (select o from (
            select n.unread, case when n.unread > 0 then (
              select least(count(*), 100) from (
                (select a.seq from public.mentions a
                  where a.profile_id = viewer and a.channel_id = c.id and a.seq > n.read_marker
                  order by a.seq limit 100)
                union
                (select a.seq from public.mentions a
                  where a.profile_id is null and a.channel_id = c.id and a.seq > n.read_marker
                    and a.author_id <> viewer
                  order by a.seq limit 100)
              ) mentioning) else 0 end as mentions) o) as counts,
          k.last_at as last_message_at
      ) entry) order by c.created_at, c.id)
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer and m.profile_id is not null
    cross join lateral (
      select r.read_marker, (
        select count(*) from (
          select from public.messages a
          where a.channel_id = c.id and a.seq > r.read_marker and a.seq is not null and a.deleted_at is null
            and a.kind = 'text' and a.author_id <> viewer
          order by a.seq limit 100) newer) as unread
      -- Without a membership there is no read marker, and nothing is unread.
      from (select greatest(s.last_read_seq, m.history_from_seq - 1)
        where m.profile_id is not null offset 0) r (read_marker)
      union all
      select null, 0 where m.profile_id is null
    ) n
    where c.id = any (ids) and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'))
  ), '[]');
end
$$;

-- Preferences ------------------------------------------------------------------------------------------

create table public.notification_preferences (
  workspace_id uuid not null,
  profile_id uuid not null default app.my_profile_id(),
  level text not null default 'mentions'
    constraint notification_preferences_level_known check (level in ('all', 'mentions', 'nothing')),
  keywords text[] not null default '{}'
    constraint notification_preferences_keywords_count check (cardinality(keywords) <= 20)
    constraint notification_preferences_keywords_length check (octet_length(array_to_string(keywords, ' ', '')) <= 1000),
  quiet_days smallint[] not null default '{}'
    constraint notification_preferences_quiet_days_known check (quiet_days <@ '{1,2,3,4,5,6,7}' and cardinality(quiet_days) <= 7),
  quiet_from time not null default '18:00',
  quiet_to time not null default '09:00',
  time_zone text not null default 'UTC',
  may_interrupt uuid[] not null default '{}'
    constraint notification_preferences_may_interrupt_count check (cardinality(may_interrupt) <= 20),
  primary key (profile_id, workspace_id),
  constraint notification_preferences_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index notification_preferences_member on public.notification_preferences (workspace_id, profile_id);
comment on table public.notification_preferences is
  'Of what a person wants to be notified in a workspace, and when not. A person without a row has the defaults.';
comment on column public.notification_preferences.level is 'Of which messages, in channels without a level.';
comment on column public.notification_preferences.keywords is
  'Words and phrases that notify like a mention. A trigger normalizes them as app.notification_text does.';
comment on column public.notification_preferences.quiet_days is
  'Days of the week (1: Monday) on which a quiet period begins at quiet_from. It ends at quiet_to, on the next day unless '
  'that is later. Local times of time_zone.';
comment on column public.notification_preferences.may_interrupt is
  'People whose messages notify also during a quiet period and while the person does not want to be disturbed.';
alter table public.notification_preferences enable row level security;
create policy "people manage their own notification preferences" on public.notification_preferences
  for all to authenticated
  using (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  with check (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people manage their own notification preferences" on public.notification_preferences is
  'Nobody else sees the keywords of a person, or when they are not notified.';
revoke all on public.notification_preferences from public, anon, authenticated, service_role;
grant select, insert (workspace_id, level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt),
  update (workspace_id, level, keywords, quiet_days, quiet_from, quiet_to, time_zone, may_interrupt)
  on public.notification_preferences to authenticated;
grant select, insert, update, delete on public.notification_preferences to service_role;

create function app.notification_text(body text) returns text
language sql immutable set search_path = ''
as $$ select ' ' || btrim(regexp_replace(lower(body), '[^[:alnum:]]+', ' ', 'g')) || ' ' $$;
comment on function app.notification_text is
  'The words of a text in lower case, with a space before and after each, so that keywords match whole words only.';

create function app.check_notification_preferences() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.keywords := array(
    select distinct btrim(app.notification_text(k)) from unnest(new.keywords) k
    where app.notification_text(k) <> '  ' order by 1);
  new.quiet_days := array(select distinct d from unnest(new.quiet_days) d order by 1);
  -- PostgreSQL accepts other names than those of the IANA database too, and fails for the rest.
  if not exists (select from pg_catalog.pg_timezone_names z where z.name = new.time_zone) then
    raise exception using errcode = '23514', schema = 'public', table = 'notification_preferences',
      constraint = 'notification_preferences_time_zone_known',
      message = 'new row for relation "notification_preferences" violates check constraint '
        '"notification_preferences_time_zone_known"';
  end if;
  return new;
end
$$;
comment on function app.check_notification_preferences is
  'Normalizes keywords and days, and refuses an unknown time zone with the error of a check constraint: it would make '
  'the notification of everybody fail.';
create trigger notification_preferences_are_checked before insert or update on public.notification_preferences
  for each row execute function app.check_notification_preferences();

-- Decision ---------------------------------------------------------------------------------------------

create function app.is_quiet(days smallint[], begins time, ends time, zone text, at timestamptz) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(case
    when begins < ends then extract(isodow from l.local)::smallint = any (days)
      and l.local::time >= begins and l.local::time < ends
    else (extract(isodow from l.local)::smallint = any (days) and l.local::time >= begins)
      or (extract(isodow from l.local - interval '1 day')::smallint = any (days) and l.local::time < ends)
    end, false)
  from (select at at time zone zone as local) l
$$;
comment on function app.is_quiet is
  'Whether a time is within a quiet period. Compares the local clock, so that a period begins and ends at the same local '
  'time when daylight-saving time begins or ends. From and to the same time: the whole day.';

create function app.notification_decision(
  is_direct boolean default false, is_reply boolean default false, mention text default null,
  has_keyword boolean default false, follows_thread boolean default false,
  channel_level text default 'default', workspace_level text default 'mentions', is_muted boolean default false,
  is_quiet boolean default false, may_interrupt boolean default false,
  page text default null, has_push boolean default false
) returns text
language sql immutable set search_path = ''
as $$
  select case
    when not f.is_wanted and not f.is_addressed then 'none'
    when is_muted or f.level = 'nothing' or not f.is_wanted then 'badge'
    when is_quiet and not may_interrupt then 'badge'
    when page = 'active' then 'desktop'
    when has_push then 'push'
    when page = 'away' then 'desktop'
    else 'mail'
  end
  from (
    select l.level, m.is_mentioned or (is_direct and not is_reply) as is_addressed,
      coalesce(m.is_mentioned or (has_keyword and not is_muted) or (is_reply and follows_thread and not is_muted)
        or (l.level = 'all' and not is_reply and not is_muted), false) as is_wanted
    from (select case when channel_level <> 'default' then channel_level
        when is_direct then 'all' else workspace_level end as level) l,
      (select coalesce(mention = 'person'
        or (mention = 'channel' and (not is_reply or follows_thread))
        or (mention = 'here' and page = 'active' and (not is_reply or follows_thread)), false) as is_mentioned) m
  ) f
$$;
comment on function app.notification_decision is
  'How a person is notified of an unread message that they may read: `none`, `badge` (counted, without a notification), '
  '`desktop` (by an open page), `push`, or `mail` after a delay. `mention`: `person`, `channel` or `here`. `page`: `active` '
  'or `away` if a page is open, else null. In threads only mentions by name, and what concerns followers.';

create function app.notification_recipients(message uuid, push_people uuid[] default '{}', people uuid[] default null)
returns table (profile_id uuid, decision text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  sent public.messages;
  words text;
begin
  select m.* into sent from public.messages m
  where m.id = message and m.deleted_at is null and m.kind = 'text' and not coalesce(m.extras ?| '{moved,moved_to}', false);
  if sent.id is null then return; end if;
  words := app.notification_text(sent.body);
  return query
    select d.profile_id, d.decision
    from (
      select r.profile_id, app.notification_decision(
        is_direct => c.kind in ('direct', 'group'), is_reply => sent.seq is null, mention => n.kind,
        has_keyword => exists (select from unnest(f.keywords) k where strpos(words, ' ' || k || ' ') > 0),
        follows_thread => coalesce(t.follows, false),
        channel_level => coalesce(s.notify, 'default'), workspace_level => coalesce(f.level, 'mentions'),
        is_muted => coalesce(s.muted, false),
        is_quiet => (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()))
          or coalesce(app.is_quiet(f.quiet_days, f.quiet_from, f.quiet_to, f.time_zone, now()), false),
        may_interrupt => coalesce(sent.author_id = any (f.may_interrupt), false),
        page => h.state, has_push => r.profile_id = any (push_people)) as decision
      from public.channels c
      join public.channel_members r on r.channel_id = c.id and r.profile_id <> sent.author_id
        and (r.expires_at is null or r.expires_at > now()) and (people is null or r.profile_id = any (people))
      join public.profiles p on p.id = r.profile_id and p.kind = 'person' and p.user_id is not null
      join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = r.profile_id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = r.profile_id
      left join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
      left join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '90 seconds'
      left join public.thread_members t on t.root_id = sent.thread_root and t.profile_id = r.profile_id
      left join lateral (
        select n.kind from public.mentions n
        where n.message_id = sent.id and (n.profile_id = r.profile_id or n.profile_id is null)
        order by case n.kind when 'person' then 1 when 'channel' then 2 else 3 end limit 1) n on true
      where c.id = sent.channel_id
        and (r.history_from_seq <= sent.base_seq or (c.kind = 'public' and w.role <> 'guest'))
        and (sent.seq is null or sent.seq > coalesce(s.last_read_seq, 0))
        and (sent.thread_seq is null or sent.thread_seq > coalesce(t.last_read_thread_seq, 0))
    ) d
    where d.decision <> 'none';
end
$$;
comment on function app.notification_recipients is
  'The members of a channel who are notified of a message, each with how; see notification_decision. Of members only who '
  'may read the message and has not read it. `push_people`: who has a device that receives push messages. `people`: '
  'evaluates for these only. One query: 2,000 members are one scan of their channel. Checks no rights of the caller.';

-- Pages ------------------------------------------------------------------------------------------------

create function public.my_notifications(channels uuid[], revs bigint[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me constant uuid := app.require_profile();
begin
  if coalesce(cardinality(channels), 0) > 20 or cardinality(channels) is distinct from cardinality(revs) then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  return coalesce((
    select jsonb_agg(jsonb_build_object('id', m.id, 'channel_id', m.channel_id, 'author_id', m.author_id,
      'seq', m.seq, 'thread_root', m.thread_root, 'thread_seq', m.thread_seq, 'body', left(m.body, 300),
      'created_at', m.created_at,
      'decision', d.decision) order by m.created_at, m.id)
    from unnest(channels, revs) c (id, rev)
    cross join lateral (
      select m.* from public.messages m
      where m.channel_id = c.id and m.rev > c.rev and m.created_at > now() - interval '5 minutes'
        and m.author_id <> me
      order by m.rev desc limit 20) m
    cross join lateral app.notification_recipients(m.id, '{}', array[me]) d
  ), '[]');
end
$$;
comment on function public.my_notifications is
  'Of which messages of the last five minutes the caller is notified, and how: the messages of at most 20 channels after '
  'the given revs, the latest 20 of each. A page calls it for channels in which something may concern its reader.';

-- People -----------------------------------------------------------------------------------------------

create or replace function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.saved_searches s where s.profile_id = person;
  delete from public.notification_preferences f where f.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.my_notifications from public, anon, authenticated, service_role;
grant execute on function public.my_notifications to authenticated;
