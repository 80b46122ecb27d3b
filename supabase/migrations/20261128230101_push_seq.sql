-- A notification has the number of the message that it displays: a page closes it once that was read, and not because the message
-- has not arrived in the page yet.

create or replace function app.push_content(device public.push_subscriptions, message_ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread constant public.messages[] := array(select m from app.unread_messages(device.profile_id, message_ids) m);
  last constant public.messages := unread[cardinality(unread)];
  channel public.channels;
begin
  if last.id is null then return null; end if;
  select c.* into channel from public.channels c where c.id = last.channel_id;
  return jsonb_build_object(
    'kind', 'message',
    'message', last.id, 'channel', last.channel_id, 'thread', last.thread_root, 'seq', coalesce(last.thread_seq, last.seq),
    'urgent', channel.kind in ('direct', 'group') or exists (
      select from public.mentions n
      where n.message_id = last.id and app.concerns_person(n, device.profile_id)),
    'title', app.conversation_title(device.profile_id, channel.id),
    'lines', (
      select jsonb_agg(jsonb_build_object(
        'author', case when channel.kind <> 'direct' then (select p.name from public.profiles p where p.id = m.author_id) end,
        'text', app.push_text(device.profile_id, m)) order by m.created_at, m.id)
      from unnest(unread[greatest(cardinality(unread) - 2, 1):]) m),
    -- What was notified before, and was read, deleted or is no longer readable.
    'close', coalesce((
      select jsonb_agg(e.key) from jsonb_each_text(device.sent) e
      where e.value <> all (array(
        select o.id::text from app.unread_messages(device.profile_id, array(
          select v.value::uuid from jsonb_each_text(device.sent) v)) o))), '[]'));
end
$$;
comment on function app.push_content is
  'What a device shows of some messages of one conversation, the last three of them; null if nothing of it is to be shown '
  'any more. `close`: tags of notifications that are no longer current.';
