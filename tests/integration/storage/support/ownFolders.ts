import type { StorageServer } from './startStorage.ts'

/**
 * Bucket `files`, private: everybody has the folder named by their id, to read, write, change and delete in,
 * but nothing there can be signed. Bucket `shown` is public; only the service writes to it.
 */
export async function declareOwnFolders(server: StorageServer): Promise<void> {
  await server.sql.query(`
    insert into storage.buckets (id, name, public) values ('files', 'files', false), ('shown', 'shown', true);
    create policy "people read their folder" on storage.objects for select to authenticated using (
      bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text
        and not storage.allow_any_operation(array['object.sign', 'object.sign_many']));
    create policy "people write to their folder" on storage.objects for insert to authenticated with check (
      bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text
        and owner_id = (select auth.uid())::text);
    create policy "people change their folder" on storage.objects for update to authenticated using (
      bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text);
    create policy "people clear their folder" on storage.objects for delete to authenticated using (
      bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text);`)
}
