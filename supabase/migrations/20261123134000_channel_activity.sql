-- The channel browser: the latest activity of each channel, and at most 2,000 of the channels that the caller has not joined.

create or replace function public.browse_channels(workspace uuid) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  listed constant uuid[] := array(
    select c.id
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = me
    where c.workspace_id = workspace and c.kind in ('public', 'private')
      and c.id = any (array(select r.channel_id from app.my_readable_channels() r))
    order by m.profile_id is null, k.last_at desc nulls last, c.id
    limit 2000);
begin
  return json_build_object('channels', coalesce((
    select json_agg((
      select o from (
        select
          -- As channel_as_json, of all channels at once; `people` is for direct conversations and groups.
          (select d from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.created_by, c.created_at, null as people) d) as channel,
          coalesce(n.members, 0) as members, coalesce(n.member, false) as member, k.last_at as last_message_at) o)
      order by lower(c.name))
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    left join (
      select m.channel_id, count(*) as members, bool_or(m.profile_id = me) as member
      from public.channel_members m where m.channel_id = any (listed) group by m.channel_id) n on n.channel_id = c.id
    where c.id = any (listed)
  ), '[]'));
end
$$;
comment on function public.browse_channels is
  'The channels that the caller may read, with the number of members and the time of the latest message, which is that '
  'of channel_counters: the cost does not depend on the number of messages. For guests only those of which they are '
  'members. At most 2,000: those of the caller first, then the most recently active. json, which takes half of the time '
  'of jsonb.';
