import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The user of all requests. */
export const person = '8a1f0c9e-6f0b-4a53-9d0e-2f6f5b0c7a11'

export const bucket = 'bench'

/** A private bucket with a folder for each user, with policies as in the Supabase docs. */
const migration = `
insert into storage.buckets (id, name, public) values ('${bucket}', '${bucket}', false);
create policy "one reads one's own" on storage.objects for select to authenticated
  using (bucket_id = '${bucket}' and owner_id = (select auth.uid())::text);
create policy "one uploads" on storage.objects for insert to authenticated
  with check (bucket_id = '${bucket}' and owner_id = (select auth.uid())::text);
create policy "one replaces one's own" on storage.objects for update to authenticated
  using (bucket_id = '${bucket}' and owner_id = (select auth.uid())::text);
create policy "one deletes one's own" on storage.objects for delete to authenticated
  using (bucket_id = '${bucket}' and owner_id = (select auth.uid())::text);
`

/** A project with that bucket and no size limit; `remove` deletes it. */
export function writeStorageProject(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-storage-bench-'))
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'migrations'))
  writeFileSync(join(dir, 'migrations', '20260101000000_bucket.sql'), migration)
  writeFileSync(join(dir, 'config.toml'), 'project_id = "bench"\n[storage]\nfile_size_limit = "8GiB"\n')
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
