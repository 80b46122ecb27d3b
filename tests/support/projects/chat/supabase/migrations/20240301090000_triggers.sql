create or replace function public.handle_new_user() returns trigger
language plpgsql security definer set search_path = public as $$
begin
  insert into public.users (id, username) values (new.id, split_part(new.email, '@', 1));
  return new;
end;
$$;

create trigger on_auth_user_created
  after insert on auth.users
  for each row execute function public.handle_new_user();

-- A room and its owner's membership are one thing.
create function public.create_room(slug text) returns public.rooms
language plpgsql security definer set search_path = '' as $$
declare
  made public.rooms;
begin
  insert into public.rooms (slug, created_by) values (create_room.slug, auth.uid()) returning * into made;
  insert into public.room_members (room_id, user_id, role) values (made.id, auth.uid(), 'owner');
  return made;
end;
$$;
revoke execute on function public.create_room(text) from public, anon;
grant execute on function public.create_room(text) to authenticated;

create function public.touch_room() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.rooms set last_message_at = new.inserted_at where id = new.room_id;
  return null;
end;
$$;

create trigger on_message_touch_room
  after insert on public.messages
  for each row execute function public.touch_room();
