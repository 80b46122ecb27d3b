-- The text of attached PDFs is found by search, as that of text files. Decision 44.

create or replace function app.is_file_indexed(type text, size bigint) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return size > 0 and case app.file_kind(type)
    when 'text' then true
    -- The function reads a PDF as a whole, in the memory that it has.
    when 'pdf' then size <= 20 * 1024 * 1024
    else false end;
end
$$;

create or replace function public.claim_file_text() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed public.jobs;
  file public.attachments;
begin
  loop
    select c.* into claimed from app.claim_jobs('index_file', 1) c;
    if claimed.id is null then return null; end if;
    select a.* into file from public.attachments a
    where a.upload_id = claimed.owner_id and a.upload_channel_id = (claimed.payload ->> 'channel_id')::uuid limit 1;
    -- What ended the function twice, and so reported no error, is not attempted again.
    if file.upload_id is not null and claimed.attempts <= (case when claimed.error is null then 2 else 7 end) then
      return jsonb_build_object('job', claimed.id,
        'path', file.upload_channel_id || '/' || file.upload_id || '/file', 'kind', app.file_kind(file.type));
    end if;
    perform app.finish_job(claimed.id);
  end loop;
end
$$;

-- One each two seconds, so that new files do not wait for them.
insert into public.jobs (kind, owner_id, payload, run_at)
select 'index_file', f.upload_id, jsonb_build_object('channel_id', f.upload_channel_id),
  now() + interval '2 seconds' * row_number() over (order by f.upload_id)
from (
  select distinct a.upload_id, a.upload_channel_id from public.attachments a
  where app.file_kind(a.type) = 'pdf' and app.is_file_indexed(a.type, a.size)) f;
