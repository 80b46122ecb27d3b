-- Messages that a person has saved for later, on all their devices.

-- Tables -----------------------------------------------------------------------------------------------

create sequence app.saved_revs;

create table public.saved_messages (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  message_id uuid not null references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  state text not null constraint saved_messages_state_known check (state in ('saved', 'done')),
  saved_at timestamptz not null default clock_timestamp(),
  rev bigint not null default nextval('app.saved_revs'),
  primary key (profile_id, message_id)
);
create index saved_messages_message on public.saved_messages (message_id);
create index saved_messages_channel on public.saved_messages (channel_id);
comment on table public.saved_messages is
  'Messages that a person has saved for later, without their text: it is read with the person''s own rights, so a message '
  'that they may not read any more reveals nothing. At most 500 for each person. Written by save_message.';
comment on column public.saved_messages.state is 'saved, or done: kept in a list of its own.';
comment on column public.saved_messages.rev is 'Orders the changes for the devices that receive them.';
alter table public.saved_messages enable row level security;
create policy "people see what they have saved" on public.saved_messages
  for select to authenticated using (profile_id = (select app.my_profile_id()));
comment on policy "people see what they have saved" on public.saved_messages is
  'Nobody else sees it. Also where the message is not readable any more, so that it can be removed from the list.';
revoke all on public.saved_messages from public, anon, authenticated, service_role;
grant select on public.saved_messages to authenticated;
grant select, insert, update, delete on public.saved_messages to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.saved_message_as_json(saved public.saved_messages) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', saved.message_id, 'channel_id', saved.channel_id, 'state', saved.state,
    'saved_at', saved.saved_at, 'rev', saved.rev)
$$;
comment on function app.saved_message_as_json is 'A saved message as its owner''s devices get it.';

create function app.notify_saved_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.saved_messages := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'saved', app.saved_message_as_json(changed)
    || case when tg_op = 'DELETE' then '{"state": null}'::jsonb else '{}' end
    || jsonb_build_object('workspace_id', (select c.workspace_id from public.channels c where c.id = changed.channel_id)));
  return null;
end
$$;
comment on function app.notify_saved_message is 'Sends a changed saved message to the other devices of its owner.';
create trigger saved_messages_are_broadcast after insert or update or delete on public.saved_messages
  for each row execute function app.notify_saved_message();

-- Commands ---------------------------------------------------------------------------------------------

create function public.save_message(message uuid, state text default 'saved') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  target public.messages;
  saved public.saved_messages;
begin
  if save_message.state is null then
    delete from public.saved_messages s where s.profile_id = me and s.message_id = message;
    return jsonb_build_object('saved', null);
  elsif save_message.state not in ('saved', 'done') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  -- Two requests of one person are counted together.
  perform from public.profiles p where p.id = me for no key update;
  select * into saved from public.saved_messages s where s.profile_id = me and s.message_id = message;
  if saved.message_id is null then
    select m.* into target from public.messages m
    join app.my_readable_channels() r on r.channel_id = m.channel_id and m.history_seq >= r.history_from_seq
    where m.id = message;
    if target.id is null then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif target.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    elsif (select count(*) from public.saved_messages s where s.profile_id = me) >= 500 then
      raise exception using errcode = 'PT400', message = 'saved_at_most_500';
    end if;
    insert into public.saved_messages (profile_id, message_id, channel_id, state)
    values (me, message, target.channel_id, save_message.state) returning * into saved;
  elsif saved.state <> save_message.state then
    update public.saved_messages s set state = save_message.state, rev = nextval('app.saved_revs')
    where s.profile_id = me and s.message_id = message returning * into saved;
  end if;
  return jsonb_build_object('saved', app.saved_message_as_json(saved));
end
$$;
comment on function public.save_message is
  'Saves a message for the caller, changes whether it is done, or removes it from their list (`state` null).';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.save_message from public, anon, authenticated, service_role;
grant execute on function public.save_message to authenticated;
