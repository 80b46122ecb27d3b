-- Changes of rows, for who may read them.
alter publication supabase_realtime add table public.messages;

-- And the newer way: the database broadcasts each change on the room's private topic.
create function public.broadcast_message() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.broadcast_changes(
    'room:' || coalesce(new.room_id, old.room_id)::text,
    tg_op, tg_op, tg_table_name, tg_table_schema, new, old
  );
  return null;
end;
$$;

create trigger broadcast_messages
  after insert or update or delete on public.messages
  for each row execute function public.broadcast_message();

create policy "members hear their rooms" on realtime.messages
  for select to authenticated
  using (
    realtime.messages.extension in ('broadcast', 'presence')
    and split_part((select realtime.topic()), ':', 1) = 'room'
    and public.is_member(split_part((select realtime.topic()), ':', 2)::bigint)
  );

create policy "members speak in their rooms" on realtime.messages
  for insert to authenticated
  with check (
    realtime.messages.extension in ('broadcast', 'presence')
    and split_part((select realtime.topic()), ':', 1) = 'room'
    and public.is_member(split_part((select realtime.topic()), ':', 2)::bigint)
  );
