-- The `storage` schema as client libraries, policies and foreign migrations expect it of hosted Supabase
-- (storage 1.70): its tables, the helper functions for policies, and the guard against deletion by SQL.
-- The bytes are stored outside of the database; a row of `storage.objects` is what makes them visible.
-- Can be run again: each statement leaves existing objects unchanged.

do $$
begin
  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
  end if;
end
$$;

-- Tables ------------------------------------------------------------------------------------------

create table if not exists storage.migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);
comment on table storage.migrations is
  'Kept for tools that look for it; the platform versions its own files elsewhere.';

create table if not exists storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  -- Upstream's versions of objects, of which it has the columns and nothing else so far.
  versioning_status text not null default 'DISABLED'
    constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';
create unique index if not exists bname on storage.buckets (name);

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text constraint "objects_bucketId_fkey" references storage.buckets (id),
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false
);
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';
comment on column storage.objects.version is
  'Names the file that holds the bytes, so that an overwrite never touches what a reader has open.';
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
create index if not exists idx_objects_bucket_id_name_lower on storage.objects (bucket_id, (lower(name) collate "C"));
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);

create table if not exists storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index if not exists idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table if not exists storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

-- Helper functions for policies -----------------------------------------------------------------------
-- One expression each, parsed here: inlined into the policy and deaf to the caller's search_path.

create or replace function storage.foldername(name text) returns text[]
  language sql immutable parallel safe
  return (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1];

create or replace function storage.filename(name text) returns text
  language sql immutable parallel safe
  return (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)];

create or replace function storage.extension(name text) returns text
  language sql immutable parallel safe
  return reverse(split_part(reverse((string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]), '.', 1));

create or replace function storage.operation() returns text
  language sql stable parallel safe
  return current_setting('storage.operation', true);
comment on function storage.operation() is
  'What the storage service is about to do for the caller, as "storage.object.upload"; null elsewhere.';

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
  language sql stable parallel safe
  return coalesce(
    expected_operation <> ''
      and regexp_replace(storage.operation(), '^storage\.', '') = regexp_replace(expected_operation, '^storage\.', ''),
    false
  );

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
  language sql stable parallel safe
  return exists (
    select from unnest(expected_operations) as expected (operation)
    where storage.allow_only_operation(expected.operation)
  );

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
  language sql stable
  begin atomic
    select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id;
  end;

-- Guards ------------------------------------------------------------------------------------------

create or replace function storage.protect_delete() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501',
            hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;

create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- Owners, row security, grants --------------------------------------------------------------------
-- The API roles hold every grant on rows; policies, of which there are none at first, decide.

alter type storage.buckettype owner to supabase_storage_admin;
alter table storage.migrations owner to supabase_storage_admin;
alter table storage.buckets owner to supabase_storage_admin;
alter table storage.objects owner to supabase_storage_admin;
alter table storage.s3_multipart_uploads owner to supabase_storage_admin;
alter table storage.s3_multipart_uploads_parts owner to supabase_storage_admin;

alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;

grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;

do $$
declare
  routine regprocedure;
begin
  for routine in select oid::regprocedure from pg_proc where pronamespace = 'storage'::regnamespace loop
    execute format('alter function %s owner to supabase_storage_admin', routine);
    execute format('grant execute on function %s to postgres, anon, authenticated, service_role', routine);
  end loop;
end
$$;
