-- Pictures of people are kept until they are taken away, and nothing empties them: so one person has only so many.

create function app.has_room_for_face(path text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  mine constant text := app.my_card_id();
begin
  return mine is not null and 20 > (
    select count(*) from storage.objects o
    where o.bucket_id = 'avatars' and o.name collate "C" > mine || '/' and o.name collate "C" < mine || '0'
      -- One that is replaced takes no more room.
      and o.name <> path);
end
$$;
comment on function app.has_room_for_face is
  'Whether the caller has fewer than 20 pictures of their own beside this one: without a bound each member could fill the disk.';

alter policy "people bring their own face" on storage.objects
  with check (
    bucket_id = 'avatars' and (select app.plain_file_operation())
    and (storage.foldername(name))[1] = (select app.my_card_id())::text and cardinality(storage.foldername(name)) = 1
    and app.has_room_for_face(name)
  );

revoke execute on function app.has_room_for_face from public;
grant execute on function app.has_room_for_face to authenticated;
