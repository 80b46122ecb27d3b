-- What storage lists of a bucket: one level below a prefix, under the caller's policies. The functions and their
-- parameters are upstream's (storage 1.70), since SQL and foreign clients call them too.

create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
  language sql immutable parallel safe
  return case when position(p_delimiter in substr(p_key, length(p_prefix) + 1)) > 0
    then left(p_key, length(p_prefix) + position(p_delimiter in substr(p_key, length(p_prefix) + 1))
      + length(p_delimiter) - 1)
  end;
comment on function storage.get_common_prefix is
  'The folder below the prefix that holds the key, its delimiter included; null for what lies at this level.';

create or replace function storage.list_objects_with_delimiter(
  _bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  start_after text default '',
  next_token text default '',
  sort_order text default 'asc'
) returns table (
  name text,
  id uuid,
  metadata jsonb,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz
)
language plpgsql stable
set search_path = ''
as $$
declare
  below text := coalesce(prefix_param, '');
  -- No name with a given prefix sorts after the prefix followed by the last character.
  behind text := chr(1114111);
  place text := coalesce(nullif(next_token, ''), nullif(start_after, ''));
  ascending boolean := lower(coalesce(sort_order, 'asc')) <> 'desc';
  step text;
  entry record;
  folder text;
  returned_count integer := 0;
begin
  step := format(
    'select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at from storage.objects o
     where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $2 || $4
       and o.name collate "C" %s $3 order by o.name collate "C" %s',
    case when ascending then '>' else '<' end,
    case when ascending then 'asc' else 'desc' end
  );
  if place is null then
    place := case when ascending then '' else below || behind end;
  else
    -- The start position is a folder if it ends with the delimiter. Callers of upstream's function name folders without
    -- their delimiter: there it is one if nothing at this level has the name but others lie below it.
    folder := storage.get_common_prefix(place, below, delimiter_param);
    if folder is null and coalesce(next_token, '') = ''
      and not exists (select from storage.objects o where o.bucket_id = _bucket_id and o.name = place)
      and exists (
        select from storage.objects o where o.bucket_id = _bucket_id
          and o.name collate "C" >= place || delimiter_param
          and o.name collate "C" < place || delimiter_param || behind
      )
    then
      folder := place || delimiter_param;
    end if;
    if folder is not null then
      place := case when ascending then folder || behind else folder end;
    end if;
  end if;

  -- Each iteration returns the objects of this level up to the next folder, then that folder, and continues after
  -- all objects in it.
  while returned_count < max_keys loop
    folder := null;
    for entry in execute step using _bucket_id, below, place, behind loop
      folder := storage.get_common_prefix(entry.name, below, delimiter_param);
      exit when folder is not null;
      name := entry.name;
      id := entry.id;
      metadata := entry.metadata;
      updated_at := entry.updated_at;
      created_at := entry.created_at;
      last_accessed_at := entry.last_accessed_at;
      return next;
      returned_count := returned_count + 1;
      exit when returned_count >= max_keys;
    end loop;
    exit when folder is null;
    name := left(folder, -length(delimiter_param));
    id := null;
    metadata := null;
    updated_at := null;
    created_at := null;
    last_accessed_at := null;
    return next;
    returned_count := returned_count + 1;
    place := case when ascending then folder || behind else folder end;
  end loop;
end
$$;
comment on function storage.list_objects_with_delimiter is
  'One level of a bucket by name, folders without their delimiter and without an id. Unlike upstream''s it misses no file whose name goes on with less than the delimiter ("a", "a.b"), and takes `_` and `%` for themselves.';

create or replace function storage.search_by_timestamp(
  p_prefix text,
  p_bucket_id text,
  p_limit integer,
  p_level integer,
  p_start_after text,
  p_sort_order text,
  p_sort_column text,
  p_sort_column_after text
) returns table (
  key text,
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- Times are compared in milliseconds, the precision that clients receive. A folder has the time of its first
  -- object.
  return query execute format(
    $query$
      with found as (
        select o.*, storage.get_common_prefix(o.name, $1, '/') as folder from storage.objects o
        where o.bucket_id = $2 and o.name collate "C" >= $1 and o.name collate "C" < $1 || chr(1114111)
      ), shown as (
        select left(o.folder, -1) as name, null::uuid as id, min(o.created_at) as updated_at,
          min(o.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
        from found o where o.folder is not null group by o.folder
        union all
        select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
        from found o where o.folder is null
      )
      select split_part(s.name, '/', $3), s.name, s.id, s.updated_at, s.created_at, s.last_accessed_at, s.metadata
      from shown s
      where $5 = '' or (coalesce(date_trunc('milliseconds', s.%1$I), 'epoch'), s.name collate "C")
        %2$s (coalesce(nullif($6, '')::timestamptz, 'epoch'), $5)
      order by coalesce(date_trunc('milliseconds', s.%1$I), 'epoch') %3$s, s.name collate "C" %3$s limit $4
    $query$,
    case when lower(p_sort_column) = 'updated_at' then 'updated_at' else 'created_at' end,
    case when lower(p_sort_order) = 'desc' then '<' else '>' end,
    case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end
  ) using coalesce(p_prefix, ''), p_bucket_id, p_level, p_limit, coalesce(p_start_after, ''), p_sort_column_after;
end
$$;

create or replace function storage.search_v2(
  prefix text,
  bucket_name text,
  limits integer default 100,
  levels integer default 1,
  start_after text default '',
  sort_order text default 'asc',
  sort_column text default 'name',
  sort_column_after text default ''
) returns table (
  key text,
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  most integer := least(coalesce(limits, 100), 1500);
begin
  if lower(sort_column) in ('updated_at', 'created_at') then
    return query select * from storage.search_by_timestamp(
      prefix, bucket_name, most, levels, start_after, sort_order, sort_column, sort_column_after);
  else
    return query
      select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
      from storage.list_objects_with_delimiter(bucket_name, prefix, '/', most, start_after, '', sort_order) l;
  end if;
end
$$;
comment on function storage.search_v2 is
  'One level of a bucket below a prefix, behind a place in it. A folder has the last part of its name as key.';

create or replace function storage.search(
  prefix text,
  bucketname text,
  limits integer default 100,
  levels integer default 1,
  offsets integer default 0,
  search text default '',
  sortcolumn text default 'name',
  sortorder text default 'asc'
) returns table (
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  below text := lower(coalesce(prefix, '') || coalesce(search, ''));
  skip integer := length(coalesce(prefix, ''));
  most integer := least(coalesce(limits, 100), 1500);
  ahead integer := coalesce(offsets, 0);
  sort_key text := case when lower(sortcolumn) in ('updated_at', 'created_at', 'last_accessed_at')
                  then lower(sortcolumn) else 'name' end;
  direction text := case when lower(sortorder) = 'desc' then 'desc' else 'asc' end;
  item record;
  folder text;
  at_key text := below;
  at_name text := '';
  seen integer;
  batch integer := 1;
begin
  if sort_key <> 'name' then
    -- Folders are the distinct first segments below the prefix. Sorted by a time they come first, having none.
    return query execute format(
      $query$
        with found as (
          select o.*, position('/' in substr(o.name, length($1) + 1)) as slash
          from storage.objects o
          where o.bucket_id = $2 and starts_with(lower(o.name) collate "C", $1)
        ), shown as (
          select distinct on (lower(left(o.name, length($1) + o.slash)))
            substr(left(o.name, length($1) + o.slash - 1), $3 + 1) as name, null::uuid as id,
            null::timestamptz as updated_at, null::timestamptz as created_at,
            null::timestamptz as last_accessed_at, null::jsonb as metadata
          from found o where o.slash > 0
          union all
          select substr(o.name, $3 + 1), o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
          from found o where o.slash = 0
        )
        select name, id, updated_at, created_at, last_accessed_at, metadata from shown
        order by id is null desc, %I %s, lower(name) collate "C" %s limit $4 offset $5
      $query$,
      sort_key, direction, direction
    ) using below, bucketname, skip, most, ahead;
    return;
  end if;

  -- Sorted by name, the index is read in order and the objects in a folder are skipped, so the cost of a page does not
  -- depend on the size of the bucket. A folder is often followed by another one, and a file by more files.
  if direction = 'desc' then
    at_key := below || chr(1114111);
  end if;
  while most > 0 loop
    seen := 0;
    folder := null;
    for item in execute format(
      $query$
        select o.*, lower(o.name) as key, position('/' in substr(o.name, length($1) + 1)) as slash
        from storage.objects o
        where o.bucket_id = $2 and starts_with(lower(o.name) collate "C", $1)
          and lower(o.name) collate "C" %1$s= $3
          and (lower(o.name) collate "C", o.name collate "C") %1$s ($3, $4)
        order by lower(o.name) collate "C" %2$s, o.name collate "C" %2$s limit $5
      $query$,
      case direction when 'desc' then '<' else '>' end, direction
    ) using below, bucketname, at_key, at_name, batch
    loop
      seen := seen + 1;
      at_key := item.key;
      at_name := item.name;
      if item.slash > 0 then
        folder := left(item.name, length(below) + item.slash);
      end if;
      if ahead > 0 then
        ahead := ahead - 1;
      else
        name := substr(coalesce(left(folder, -1), item.name), skip + 1);
        id := case when folder is null then item.id end;
        updated_at := case when folder is null then item.updated_at end;
        created_at := case when folder is null then item.created_at end;
        last_accessed_at := case when folder is null then item.last_accessed_at end;
        metadata := case when folder is null then item.metadata end;
        return next;
        most := most - 1;
      end if;
      exit when folder is not null or most = 0;
    end loop;
    exit when seen = 0;
    batch := case when folder is null then 100 else 1 end;
    if folder is not null then
      -- Behind all that the folder holds, or before it: "0" is what follows the slash.
      at_key := case direction when 'desc' then lower(folder) else left(lower(folder), -1) || '0' end;
      at_name := '';
    end if;
  end loop;
end
$$;
comment on function storage.search is
  'One level of a bucket below a prefix, folders and files, under the caller''s policies. `levels` is unused and kept for its callers.';

-- Owners and grants: as in the file before, for what this one made.
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
