-- Drafts of messages, the same on all devices of a person. Decision 32 has the reasons.

-- Tables -----------------------------------------------------------------------------------------------

create sequence app.draft_revs;

create table public.drafts (
  id uuid not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  body text not null constraint drafts_body_length check (char_length(body) <= 20000),
  quote_id uuid,
  rev bigint not null default nextval('app.draft_revs'),
  change_id uuid not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (profile_id, id),
  constraint drafts_one_for_each_conversation check (id = coalesce(thread_root, channel_id))
);
create index drafts_channel on public.drafts (channel_id);
create index drafts_thread on public.drafts (thread_root) where thread_root is not null;
comment on table public.drafts is
  'What a person has written and not sent yet, one row for each channel and thread. A draft that was sent or emptied '
  'stays as a row without content: a device that was offline, or a request that arrives late, must not bring it back. '
  'The latest 100 of these rows are kept, for 30 days. Written by save_draft and send_message.';
comment on column public.drafts.id is 'The thread''s root, or the channel.';
comment on column public.drafts.quote_id is 'The message that is quoted. No foreign key, as in the extras of messages.';
comment on column public.drafts.rev is 'Orders the changes of a draft for the devices that receive them.';
comment on column public.drafts.change_id is
  'The last change: the id of the save, or of the message that was sent. A save names the changes that it replaces.';
alter table public.drafts enable row level security;
create policy "people see their own drafts" on public.drafts
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and channel_id in (select r.channel_id from app.my_readable_channels() r)
  );
comment on policy "people see their own drafts" on public.drafts is
  'Nobody else sees what a person has not sent, the owners of the workspace included.';
revoke all on public.drafts from public, anon, authenticated, service_role;
grant select on public.drafts to authenticated;
grant select, insert, update, delete on public.drafts to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.draft_as_json(draft public.drafts) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', draft.id, 'channel_id', draft.channel_id, 'thread_root', draft.thread_root,
    'body', draft.body, 'quote', draft.quote_id, 'rev', draft.rev, 'change_id', draft.change_id,
    'changed_at', draft.changed_at)
$$;
comment on function app.draft_as_json is 'A draft as its author''s devices get it.';

create function app.notify_own_row(person uuid, kind text, event text, changed jsonb, workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- A broadcast is stored for days: what has a long text is fetched with the next differences.
  if octet_length(changed ->> 'body') > 4000 then
    perform app.notify_user(person, 'own_row',
      jsonb_build_object('kind', kind, 'id', changed -> 'id', 'rev', changed -> 'rev', 'workspace_id', workspace));
  else
    perform app.notify_user(person, event, changed || jsonb_build_object('workspace_id', workspace));
  end if;
end
$$;
comment on function app.notify_own_row is
  'Sends a changed row that only its owner sees to their other devices; of one with a long text its number only.';

create function app.notify_draft() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_own_row(new.profile_id, 'drafts', 'draft', app.draft_as_json(new),
    (select c.workspace_id from public.channels c where c.id = new.channel_id));
  return null;
end
$$;
comment on function app.notify_draft is 'Sends a changed draft to the other devices of its author.';
create trigger drafts_are_broadcast after insert or update on public.drafts
  for each row execute function app.notify_draft();

-- Commands ---------------------------------------------------------------------------------------------

create function public.save_draft(
  id uuid, channel uuid, body text, thread_root uuid default null, quote uuid default null, base uuid[] default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_reader(channel);
  conversation constant uuid := coalesce(save_draft.thread_root, channel);
  is_empty constant boolean := coalesce(save_draft.body, '') = '' and save_draft.quote is null;
  existing public.drafts;
begin
  if save_draft.id is null or save_draft.body is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif save_draft.thread_root is not null and not exists (
    select from public.messages m
    where m.id = save_draft.thread_root and m.channel_id = channel and m.thread_root is null
      and m.history_seq >= access.history_from_seq)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Devices of one person save one after the other: they are compared with each other, and counted together.
  perform from public.profiles p where p.id = access.profile_id for no key update;
  select * into existing from public.drafts d
  where d.profile_id = access.profile_id and d.id = conversation for update;
  if existing.id is null and is_empty then
    return jsonb_build_object('applied', true, 'draft', null);
  elsif existing.change_id = save_draft.id
    or (existing.body = save_draft.body and existing.quote_id is not distinct from save_draft.quote)
  then
    return jsonb_build_object('applied', true, 'draft', app.draft_as_json(existing));
  elsif existing.id is not null and existing.change_id <> all (coalesce(save_draft.base, '{}')) then
    return jsonb_build_object('applied', false, 'draft', app.draft_as_json(existing));
  end if;
  if not is_empty and (existing.id is null or (existing.body = '' and existing.quote_id is null)) and (
    select count(*) from public.drafts d
    where d.profile_id = access.profile_id and (d.body <> '' or d.quote_id is not null)) >= 100
  then
    raise exception using errcode = 'PT400', message = 'drafts_at_most_hundred';
  end if;
  insert into public.drafts as d (profile_id, id, channel_id, thread_root, body, quote_id, change_id)
  values (access.profile_id, conversation, channel, save_draft.thread_root, save_draft.body, save_draft.quote,
    save_draft.id)
  on conflict (profile_id, id) do update
  set body = excluded.body, quote_id = excluded.quote_id, change_id = excluded.change_id, rev = excluded.rev,
    changed_at = excluded.changed_at
  returning * into existing;
  if is_empty then perform app.delete_emptied_drafts(access.profile_id); end if;
  return jsonb_build_object('applied', true, 'draft', app.draft_as_json(existing));
end
$$;
comment on function public.save_draft is
  'Saves the caller''s draft for a channel or thread; without content it is emptied. `base`: the changes that this one '
  'replaces. If another device has changed the draft since, nothing is stored, `applied` is false, and the response has '
  'that draft. `id`: the change; repeating it changes nothing more.';

create function app.clear_draft(author uuid, channel uuid, root uuid, message uuid, changes uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  -- A row even if there was none: a save of the same text that arrives late must not store it again.
  insert into public.drafts as d (profile_id, id, channel_id, thread_root, body, change_id)
  values (author, coalesce(root, channel), channel, root, '', message)
  on conflict (profile_id, id) do update
  set body = '', quote_id = null, change_id = excluded.change_id, rev = excluded.rev, changed_at = excluded.changed_at
  where d.change_id = any (changes);
  if found then perform app.delete_emptied_drafts(author); end if;
end
$$;
comment on function app.clear_draft is
  'Empties the draft that was sent as a message, unless it has changed since these changes.';

create function app.delete_emptied_drafts(author uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  delete from public.drafts d
  where d.profile_id = author and d.id in (
    -- Two messages of one person may be sent at once.
    select l.id from public.drafts l
    where l.profile_id = author and l.body = '' and l.quote_id is null and (
      l.changed_at < now() - interval '30 days' or l.rev <= (
        select o.rev from public.drafts o
        where o.profile_id = author and o.body = '' and o.quote_id is null order by o.rev desc offset 100 limit 1))
    for update skip locked)
$$;
comment on function app.delete_emptied_drafts is
  'Deletes what is kept of emptied drafts after 30 days, and beyond the latest 100 of a person.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.save_draft from public, anon, authenticated, service_role;
grant execute on function public.save_draft to authenticated;
