-- Who can read a message, and how each has access.

create or replace function public.who_can_read(message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_message(message);
  readers uuid[];
begin
  readers := array(
    select r.profile_id
    from public.messages m, app.channel_readers(m.channel_id) r
    where m.id = message and r.history_from_seq <= m.base_seq
      and r.profile_id in (select app.my_visible_profile_ids())
    order by r.profile_id);
  return jsonb_build_object(
    'people', to_jsonb(readers),
    'members', to_jsonb(array(
      select c.profile_id
      from public.messages m
      join public.channel_members c on c.channel_id = m.channel_id
      where m.id = message and c.profile_id = any (readers) and (c.expires_at is null or c.expires_at > now())
      order by c.profile_id)),
    'everyone', access.kind = 'public');
end
$$;
comment on function public.who_can_read is
  'Who can read a message and its files. `members`: those of them who are members of its channel; the others are full '
  'members of the workspace, who read every public channel. `everyone` means all full members, besides the listed '
  'guests.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.check_request to anon, authenticated, service_role;
