-- The cursor of a page of the activity names a row that the person may read. It could contain the time and the id of a mention, a
-- reaction or a thread in a channel that the person has left.

create or replace function app.activity_candidates(
  viewer uuid, workspace uuid, filter text, before text, size integer
) returns setof app.activity_entry
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  least_id constant uuid := '00000000-0000-0000-0000-000000000000';
  mention_since constant timestamptz := (app.activity_cursor(before, 0)).since;
  mention_id constant uuid := coalesce((app.activity_cursor(before, 0)).key, least_id::text);
  reaction_since constant timestamptz := (app.activity_cursor(before, 1)).since;
  reaction_position constant bigint := coalesce((app.activity_cursor(before, 1)).key, '0');
  reply_since constant timestamptz := (app.activity_cursor(before, 2)).since;
  reply_id constant uuid := coalesce((app.activity_cursor(before, 2)).key, least_id::text);
  -- The history start of each channel that the caller may read, by its id.
  starts constant jsonb := (
    select jsonb_object_agg(r.channel_id, r.history_from_seq) from app.my_readable_channels() r);
begin
  if filter in ('all', 'mentions') then
    return query
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'mention', n.message_id,
        n.channel_id, null::text, null::uuid
      from public.mentions n
      join public.messages m on m.id = n.message_id
      where n.profile_id = viewer and (n.created_at, n.message_id) < (mention_since, mention_id)
        and (starts ->> n.channel_id::text)::bigint <= m.history_seq
      order by n.created_at desc, n.message_id desc limit size;
    -- The newest entries are in the channels with the newest entries: only those are read further.
    return query
      with latest as (
        select m.channel_id, m.created_at, newest.at, newest.message_id
        from public.channel_members m
        cross join lateral (
          select n.created_at as at, n.message_id from public.mentions n
          where n.profile_id is null and n.group_id is null and n.channel_id = m.channel_id
            and (n.created_at, n.message_id) < (mention_since, mention_id) and n.created_at >= m.created_at
          order by n.created_at desc, n.message_id desc limit 1) newest
        where m.profile_id = viewer and m.workspace_id = workspace
          and (m.expires_at is null or m.expires_at > now())
        order by newest.at desc, newest.message_id desc limit size
      )
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'everyone', n.message_id,
        l.channel_id, null::text, null::uuid
      from latest l
      cross join lateral (
        select e.created_at, e.message_id from public.mentions e
        where e.profile_id is null and e.group_id is null and e.channel_id = l.channel_id
          and (e.created_at, e.message_id) < (mention_since, mention_id) and e.created_at >= l.created_at
        order by e.created_at desc, e.message_id desc limit size) n
      order by n.created_at desc, n.message_id desc limit size;
    return query
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'group', n.message_id,
        n.channel_id, null::text, null::uuid
      from unnest(app.group_ids_of(viewer)) g (id)
      cross join lateral (
        select e.created_at, e.message_id, e.channel_id
        from public.mentions e
        join public.messages m on m.id = e.message_id
        where e.group_id = g.id and (e.created_at, e.message_id) < (mention_since, mention_id)
          and (starts ->> e.channel_id::text)::bigint <= m.history_seq
        order by e.created_at desc, e.message_id desc limit size) n
      order by n.created_at desc, n.message_id desc limit size;
  end if;
  if filter in ('all', 'reactions') then
    return query
      select (extract(epoch from r.created_at) * 1000000)::bigint, 1, lpad(r.position::text, 18, '0'), 'reaction',
        r.message_id, null::uuid, r.emoji, r.profile_id
      from public.reactions r
      join public.messages m on m.id = r.message_id
      where r.message_author_id = viewer and r.profile_id <> r.message_author_id
        and r.emoji not like 'poll:%' and r.emoji not like 'task:%'
        and (r.created_at, r.position) < (reaction_since, reaction_position)
        and (starts ->> m.channel_id::text)::bigint <= m.history_seq
      order by r.created_at desc, r.position desc limit size;
  end if;
  if filter in ('all', 'replies') then
    return query
      select (extract(epoch from f.last_reply_at) * 1000000)::bigint, 2, f.root_id::text, 'reply', f.root_id, null::uuid,
        null::text, null::uuid
      from app.followed_threads(viewer) f
      where (f.last_reply_at, f.root_id) < (reply_since, reply_id)
        and (starts ->> f.channel_id::text)::bigint <= f.history_seq
      order by f.last_reply_at desc, f.root_id desc limit size;
  end if;
end
$$;
comment on function app.activity_candidates is
  'For each kind, the `size` newest rows before the cursor that may be entries and that the caller may read: the cursor of a '
  'page names the last of them, with its time. Of mentions of everyone those in channels that the person is a member of, since '
  'they joined. The `message_id` of a reply is the root of its thread.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
