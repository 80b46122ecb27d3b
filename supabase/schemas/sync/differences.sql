-- Differences: a client that has stored rows sends digests of them, and gets the rows that are not the same any more.
-- Decision 25 has the reasons.
--
-- Rows of a kind are divided into 64 buckets by the highest six bits of the last byte of their id. A digest is six characters; the digests of a
-- kind are one text, bucket by bucket. They are computed from what the caller may see at that moment: a membership that
-- ended, a role, a history start or a restored backup is a difference like any other. Clients return digests as they
-- received them and compute none, so what is hashed may change with any release.
--
-- A digest reads each table once and builds no JSON. Where each change has a random id, it reads only the ids: of a channel
-- with its messages from its counters; the digests of people, which are the same for all full members, are replaced by the
-- changes themselves. Presence has changes with versions instead (presence.sql). All functions
-- here plan each statement once for all arguments (force_generic_plan).

-- Digests ----------------------------------------------------------------------------------------------

create function app.join_digests(buckets integer[], hashes bigint[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  digests text[] := array_fill('AAAAAA'::text, array[64]);
begin
  -- A loop takes half of the time of a query. The expression is that of app.digest_of; calling it would take three times as
  -- long.
  for i in 1..coalesce(cardinality(buckets), 0) loop
    digests[buckets[i] + 1] := left(encode(int8send(hashes[i]), 'base64'), 6);
  end loop;
  return array_to_string(digests, '');
end
$$;
comment on function app.join_digests is 'The digests of all buckets as one text; that of an empty bucket is AAAAAA.';

create function app.changed_buckets(stored text, current text) returns integer[]
language sql immutable set search_path = ''
as $$
  select array(
    select b.bucket from generate_series(0, 63) b (bucket)
    where stored is null or substr(stored, b.bucket * 6 + 1, 6) <> substr(current, b.bucket * 6 + 1, 6))
$$;
comment on function app.changed_buckets is 'The buckets whose digest a client does not have; all without digests.';

create function app.digest_of(hash bigint) returns text
language sql immutable set search_path = ''
as $$ select left(encode(int8send(coalesce(hash, 0)), 'base64'), 6) $$;
comment on function app.digest_of is 'The digest of a list that is sent as a whole, from a hash of its rows.';

create function app.replace_digest(digests text, id uuid, hash bigint) returns text
language sql immutable set search_path = ''
as $$ select overlay(digests placing app.digest_of(hash) from (get_byte(uuid_send(id), 15) >> 2) * 6 + 1) $$;
comment on function app.replace_digest is 'The digests of a kind with another one for the bucket of a row.';

create type app.differences as (digests jsonb, channels json, threads jsonb, sections jsonb, own jsonb);
comment on type app.differences is
  'Rows that are not as a client has stored them, whole buckets and lists, and the digests of kinds that changed. `own`: '
  'rows that only their owner sees, by kind.';

-- Kinds ------------------------------------------------------------------------------------------------

create function app.people_digests(workspace uuid, visible uuid[]) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  digests text;
  expired uuid;
begin
  if visible is null then
    select k.people_digests into digests from public.workspace_counters k where k.workspace_id = workspace;
    -- Whose membership has ended by the time alone, which changes no row until somebody ends it.
    for expired in
      select w.profile_id from public.workspace_members w
      where w.workspace_id = workspace and w.expires_at <= now() and w.state = 'active' order by w.profile_id
    loop
      digests := app.replace_digest(digests, expired, hashtextextended(digests, uuid_hash_extended(expired, 0)));
    end loop;
    return coalesce(digests, app.join_digests(null, null));
  end if;
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(p.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(p.id, p.kind, p.name, p.is_erased,
        p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence, p.presence_until, p.title,
        p.time_zone, p.pronouns, w.role, w.state, w.expires_at <= now()), 0)) as hash
      from public.workspace_members w join public.profiles p on p.id = w.profile_id
      where w.workspace_id = workspace and p.id = any (visible)
      group by 1
    ) d
  );
end
$$;
comment on function app.people_digests is
  'Of the members of a workspace; of all, for full members, if `visible` is null, from workspace_counters.';

create function app.channel_digests(viewer uuid, viewer_role text, workspace uuid) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  -- Every entry differs once the person has another role, which decides where the history of public channels starts, or is in
  -- another group, of which mentions are counted.
  seed constant bigint := hashtextextended(viewer_role, coalesce((
    select bit_xor(uuid_hash_extended(g.group_id, 1)) from public.user_group_members g where g.profile_id = viewer), 0));
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(m.channel_id), 15) >> 2 as bucket, bit_xor(hash_record_extended(
        row(m.channel_id, m.role, m.history_from_seq, k.change_id, k.epoch, s), seed)) as hash
      from public.channel_members m
      join public.channel_counters k on k.channel_id = m.channel_id
      left join public.channel_member_state s on s.channel_id = m.channel_id and s.profile_id = viewer
      where m.profile_id = viewer and m.workspace_id = workspace and (m.expires_at is null or m.expires_at > now())
        and s.hidden is not true
      group by 1) d
  );
end
$$;
comment on function app.channel_digests is
  'Of the channels that app.channel_entries_as_json returns to a member with this role. Each change of a channel and of its '
  'messages has a random id, so that no column of them is read. Unread counts follow from these columns and from the groups '
  'of the person.';

create function app.thread_digests(viewer uuid, out digests text, out since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  select app.join_digests(array_agg(d.bucket), array_agg(d.hash)), min(d.since) into digests, since from (
    select get_byte(uuid_send(n.root_id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(
        row(n.root_id, n.last_read_thread_seq, n.read_version, n.last_thread_seq, n.last_reply_at), 0)) as hash,
      min(n.last_reply_at) filter (where n.ordinal = 400) as since
    from (
      select f.*, row_number() over (order by f.last_reply_at desc, f.root_id desc) as ordinal
      from app.followed_threads(viewer) f
      order by f.last_reply_at desc, f.root_id desc limit 400) n
    group by 1
  ) d;
end
$$;
comment on function app.thread_digests is
  'Of the 400 threads with the latest replies that a person follows; `since` is the time of the last of so many, null if '
  'there are fewer.';

-- Drafts and responses to commands are sent again once the person may read the channel again. Saved messages are listed without
-- their text, so that the person can remove them.
create view app.own_rows as
select 'drafts' as kind, d.profile_id, c.workspace_id, get_byte(uuid_send(d.id), 15) >> 2 as bucket,
  hash_record_extended(row(d.id, d.rev, d.change_id), 0) as hash, app.draft_as_json(d) as json
from public.drafts d join public.channels c on c.id = d.channel_id
where (app.channel_access_of_person(d.profile_id, c.id)).member is not null
union all
select 'saved', s.profile_id, c.workspace_id, get_byte(uuid_send(s.message_id), 15) >> 2,
  hash_record_extended(row(s.message_id, s.rev, s.state), 0), app.saved_message_as_json(s)
from public.saved_messages s join public.channels c on c.id = s.channel_id
union all
select 'responses', r.profile_id, c.workspace_id, get_byte(uuid_send(r.id), 15) >> 2,
  hash_record_extended(row(r.id, r.rev), 0), app.command_response_as_json(r)
from public.command_responses r join public.channels c on c.id = r.channel_id
where (app.channel_access_of_person(r.profile_id, c.id)).member is not null
union all
select 'searches', s.profile_id, s.workspace_id, get_byte(uuid_send(s.id), 15) >> 2,
  hash_record_extended(row(s.id, s.rev), 0), app.saved_search_as_json(s)
from public.saved_searches s
union all
select 'scheduled', s.profile_id, c.workspace_id, get_byte(uuid_send(s.id), 15) >> 2,
  hash_record_extended(row(s.id, s.rev), 0), app.scheduled_message_as_json(s)
from public.scheduled_messages s join public.channels c on c.id = s.channel_id
union all
select 'reminders', r.profile_id, r.workspace_id, get_byte(uuid_send(r.id), 15) >> 2,
  hash_record_extended(row(r.id, r.rev), 0), app.reminder_as_json(r)
from public.reminders r;
comment on view app.own_rows is
  'Own rows of all kinds, with the bucket and the hash of their digest; without drafts and responses in channels that '
  'the person may not read. A query that does not select json does not compute it.';
revoke all on app.own_rows from public, anon, authenticated, service_role;

-- Own rows ---------------------------------------------------------------------------------------------

create function app.own_differences(viewer uuid, workspace uuid, stored jsonb, changed app.differences)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  digests jsonb;
begin
  select jsonb_object_agg(d.kind, d.digest) into digests from (
    select k.kind,
      case when b.kind is null then repeat('AAAAAA', 64) else app.join_digests(b.buckets, b.hashes) end as digest
    from unnest(array['drafts', 'saved', 'responses', 'searches', 'scheduled', 'reminders']) k (kind)
    left join (
      select h.kind, array_agg(h.bucket) as buckets, array_agg(h.hash) as hashes from (
        select o.kind, o.bucket, bit_xor(o.hash) as hash from app.own_rows o
        where o.profile_id = viewer and o.workspace_id = workspace
        group by 1, 2) h
      group by 1) b on b.kind = k.kind) d
  where d.digest is distinct from stored ->> d.kind;
  changed.digests := changed.digests || coalesce(digests, '{}');
  changed.own := coalesce((
    select jsonb_object_agg(k.kind, coalesce(r.rows, '[]'))
    from jsonb_each_text(digests) k (kind, digest)
    cross join lateral (
      select jsonb_agg(o.json) as rows from app.own_rows o
      where o.kind = k.kind and o.profile_id = viewer and o.workspace_id = workspace
        and o.bucket = any (app.changed_buckets(stored ->> k.kind, k.digest))) r), '{}');
  return changed;
end
$$;
comment on function app.own_differences is
  'Adds to the differences the rows that only their owner sees, by kind. Checks no rights: the caller has.';

-- Differences ------------------------------------------------------------------------------------------

create function app.differences_of(viewer uuid, viewer_role text, workspace uuid, stored jsonb)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  changed app.differences;
  digest text := app.channel_digests(viewer, viewer_role, workspace);
  buckets integer[];
begin
  changed.digests := '{}';
  changed.channels := '[]';
  changed.threads := '[]';
  changed.sections := '[]';
  if digest is distinct from stored ->> 'channels' then
    buckets := app.changed_buckets(stored ->> 'channels', digest);
    changed.digests := changed.digests || jsonb_build_object('channels', digest);
    changed.channels := app.channel_entries_as_json(viewer, array(
      select m.channel_id
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer
      where m.profile_id = viewer and (m.expires_at is null or m.expires_at > now()) and s.hidden is not true
        and get_byte(uuid_send(m.channel_id), 15) >> 2 = any (buckets)));
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(r, 0)) from app.unread_thread_rows(viewer, workspace) r));
  if digest is distinct from stored ->> 'unread' then
    changed.digests := changed.digests || jsonb_build_object('unread', digest);
    changed.threads := app.unread_threads(viewer, workspace);
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(row(s.id, s.name, s.position, s.collapsed, s.rev), 0))
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace));
  if digest is distinct from stored ->> 'sections' then
    changed.digests := changed.digests || jsonb_build_object('sections', digest);
    changed.sections := app.sections_as_json(viewer, workspace);
  end if;
  if not app.is_first_party_session() then
    changed.own := '{}';
    return changed;
  end if;
  return app.own_differences(viewer, workspace, stored, changed);
end
$$;
comment on function app.differences_of is
  'What of a person''s channels, unread threads and sections is not as the digests `stored` describe; everything if it '
  'is null. Checks no rights: the caller has.';
