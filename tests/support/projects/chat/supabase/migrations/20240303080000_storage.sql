insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('avatars', 'avatars', true, 1048576, array['image/png', 'image/jpeg']),
  ('attachments', 'attachments', false, null, null)
on conflict (id) do nothing;

create policy "Avatar images are publicly accessible." on storage.objects
  for select using (bucket_id = 'avatars');

create policy "Anyone can upload their own avatar." on storage.objects
  for insert to authenticated
  with check (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid()::text));

create policy "Own avatars can be replaced." on storage.objects
  for update to authenticated
  using (bucket_id = 'avatars' and owner_id = (select auth.uid()::text));

create policy "Members read attachments." on storage.objects
  for select to authenticated
  using (bucket_id = 'attachments' and public.is_member(((storage.foldername(name))[1])::bigint));

create policy "Members attach." on storage.objects
  for insert to authenticated
  with check (bucket_id = 'attachments' and public.is_member(((storage.foldername(name))[1])::bigint));

create policy "Owners delete what they attached." on storage.objects
  for delete to authenticated
  using (bucket_id = 'attachments' and owner_id = (select auth.uid()::text));
