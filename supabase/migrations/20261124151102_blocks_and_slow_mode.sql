-- Blocking a person in direct messages, slow mode of a channel, and links by members only. Decision 48 gives the reasons.

-- Blocks -----------------------------------------------------------------------------------------------

create table public.blocks (
  profile_id uuid not null references public.profiles (id) on delete cascade,
  blocked_id uuid not null references public.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (profile_id, blocked_id),
  constraint blocks_of_others check (profile_id <> blocked_id)
);
create index blocks_blocked on public.blocks (blocked_id);
comment on table public.blocks is
  'Who has blocked whom in direct messages: their conversation stays hidden, and what the blocked person writes in direct '
  'and group conversations notifies nobody who has blocked them. At most 500 of a person.';
alter table public.blocks enable row level security;
create policy "people see whom they have blocked" on public.blocks
  for select to authenticated using (profile_id = (select app.my_profile_id()));
comment on policy "people see whom they have blocked" on public.blocks is
  'Nobody learns by whom they are blocked, and neither do those who manage the workspace.';
create policy "applications are limited to their scopes" on public.blocks
  as restrictive for all to authenticated using ((select app.is_first_party_session()))
  with check ((select app.is_first_party_session()));
comment on policy "applications are limited to their scopes" on public.blocks is
  'Applications learn nothing of the blocks of their person.';
revoke all on public.blocks from public, anon, authenticated, service_role;
grant select on public.blocks to authenticated;
grant select, insert, update, delete on public.blocks to service_role;

create function app.has_blocked(person uuid, other uuid) returns boolean
language sql stable security definer set search_path = ''
as $$ select exists (select from public.blocks b where b.profile_id = person and b.blocked_id = other) $$;
comment on function app.has_blocked is 'Whether a person has blocked another one.';

create function app.blocked_directs(person uuid) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select coalesce(array_agg(c.id), '{}')
  from public.blocks b
  join public.channel_members o on o.profile_id = b.blocked_id
  join public.channels c on c.id = o.channel_id and c.kind = 'direct'
  join public.channel_members m on m.channel_id = c.id and m.profile_id = b.profile_id
  where b.profile_id = person
$$;
comment on function app.blocked_directs is 'The direct conversations of a person with those whom they have blocked.';

create function app.keep_blocked_hidden() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.blocks b where b.profile_id = new.profile_id) and exists (
    select from public.channels c
    where c.id = new.channel_id and case c.kind
      when 'direct' then c.id = any (app.blocked_directs(new.profile_id))
      -- Shown by messages of others: notify_message stores the new one here.
      when 'group' then app.has_blocked(new.profile_id,
        (nullif(current_setting('app.new_message', true), '')::jsonb ->> 'author_id')::uuid)
      else false end)
  then
    new.hidden := true;
  end if;
  return new;
end
$$;
comment on function app.keep_blocked_hidden is
  'Keeps a conversation hidden from a person who has blocked the other one, or in a group the author of the new message.';
create trigger blocked_conversations_stay_hidden before update of hidden on public.channel_member_state
  for each row when (old.hidden and not new.hidden) execute function app.keep_blocked_hidden();
comment on trigger blocked_conversations_stay_hidden on public.channel_member_state is
  'The blocked person sends as before, and learns nothing.';

create function public.block_person(person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  if person is null or person = me or person not in (select app.my_visible_profile_ids()) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform from public.profiles p where p.id = me for no key update;
  if 500 <= (select count(*) from public.blocks b where b.profile_id = me) then
    raise exception using errcode = 'PT409', message = 'too_many_blocks';
  end if;
  insert into public.blocks (profile_id, blocked_id) values (me, person) on conflict do nothing;
  update public.channel_member_state s set hidden = true
  where s.profile_id = me and not s.hidden and s.channel_id = any (app.blocked_directs(me));
  return jsonb_build_object('person', person, 'blocked', true);
end
$$;
comment on function public.block_person is
  'Hides the direct conversation with a person; nothing that they write there or in a group conversation notifies the '
  'caller. They learn nothing of it.';

create function public.unblock_person(person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
  directs constant uuid[] := app.blocked_directs(me);
begin
  delete from public.blocks b where b.profile_id = me and b.blocked_id = person;
  if found then
    update public.channel_member_state s set hidden = false
    where s.profile_id = me and s.hidden and s.channel_id = any (directs)
      and s.channel_id <> all (app.blocked_directs(me))
      and exists (select from public.channel_counters k where k.channel_id = s.channel_id and k.last_seq > 0);
  end if;
  return jsonb_build_object('person', person, 'blocked', false);
end
$$;
comment on function public.unblock_person is
  'Ends a block: the conversation is shown again, with what was written meanwhile. Succeeds also if there is none.';

-- Slow mode, links by members only ---------------------------------------------------------------------

create table public.slow_mode_messages (
  channel_id uuid not null references public.channels (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  sent_at timestamptz not null,
  primary key (channel_id, profile_id)
);
create index slow_mode_messages_profile on public.slow_mode_messages (profile_id);
comment on table public.slow_mode_messages is
  'When a person last wrote in a channel with slow mode. No access for clients.';
alter table public.slow_mode_messages enable row level security;
revoke all on public.slow_mode_messages from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.slow_mode_messages to service_role;

create function app.check_new_text() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  sender record;
begin
  select c.kind, c.slow_seconds, w.guest_links, m.role, p.kind as author_kind, r.role as channel_role
  into sender
  from public.channels c
  join public.workspaces w on w.id = c.workspace_id
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = new.author_id
  join public.profiles p on p.id = m.profile_id
  left join public.channel_members r on r.channel_id = c.id and r.profile_id = m.profile_id
  where c.id = new.channel_id;
  if sender.author_kind is distinct from 'person' then return new; end if;
  if not sender.guest_links and sender.role = 'guest' and new.body ~* '(https?://|www\.)[^[:space:]]|\]\([a-z]+:' then
    raise exception using errcode = 'PT403', message = 'links_by_members';
  end if;
  if tg_op = 'UPDATE' then return new; end if;
  if sender.kind = 'direct' and new.channel_id = any (app.blocked_directs(new.author_id)) then
    raise exception using errcode = 'PT403', message = 'person_blocked';
  end if;
  if sender.slow_seconds > 0 and sender.role not in ('owner', 'admin') and sender.channel_role is distinct from 'admin' then
    insert into public.slow_mode_messages as s (channel_id, profile_id, sent_at)
    values (new.channel_id, new.author_id, clock_timestamp())
    on conflict (channel_id, profile_id) do update set sent_at = excluded.sent_at
    where s.sent_at <= clock_timestamp() - make_interval(secs => sender.slow_seconds);
    if not found then
      raise exception using errcode = 'PT403', message = 'slow_mode';
    end if;
  end if;
  return new;
end
$$;
comment on function app.check_new_text is
  'Refuses links of guests where only members post them, messages to people whom their author has blocked, and a second '
  'message within the interval of slow mode.';
create trigger new_texts_are_checked before insert on public.messages
  for each row when (new.kind = 'text' and new.author_id is not null and new.extras -> 'moved' is null)
  execute function app.check_new_text();
comment on trigger new_texts_are_checked on public.messages is
  'Under the lock of the channel, so that of two messages at once the second waits. Not for copies of moved threads.';
create trigger edited_texts_are_checked before update of body on public.messages
  for each row when (new.body <> old.body and new.deleted_at is null and new.author_id is not null)
  execute function app.check_new_text();
comment on trigger edited_texts_are_checked on public.messages is 'A link cannot be added later.';

create function public.set_slow_mode(channel uuid, seconds integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access app.channel_access := app.require_participant(channel);
begin
  perform app.lock_channels(array[channel]);
  access := app.require_participant(channel);
  if not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif seconds is null or seconds not between 0 and 21600 then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.channels c set slow_seconds = seconds where c.id = channel and c.slow_seconds <> seconds;
  return jsonb_build_object('channel_id', channel, 'slow_seconds', seconds);
end
$$;
comment on function public.set_slow_mode is
  'Sets the seconds between two messages of one person in a channel, up to six hours; 0 switches slow mode off. For those '
  'who manage the channel.';

create function public.slow_mode_wait(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_channel_member(channel);
begin
  return jsonb_build_object('wait_ms', coalesce((
    select greatest(ceil(extract(epoch from
      s.sent_at + make_interval(secs => c.slow_seconds) - clock_timestamp()) * 1000), 0)::bigint
    from public.slow_mode_messages s join public.channels c on c.id = s.channel_id
    where s.channel_id = channel and s.profile_id = access.profile_id and c.slow_seconds > 0
      and not app.can_manage_channel(access)), 0));
end
$$;
comment on function public.slow_mode_wait is
  'Milliseconds until the caller may send their next message to a channel with slow mode; 0: now.';

create function public.set_guest_links(workspace uuid, allowed boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if me is null or allowed is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w set guest_links = allowed where w.id = workspace and w.guest_links <> allowed;
  return jsonb_build_object('guest_links', allowed);
end
$$;
comment on function public.set_guest_links is 'Sets whether guests may send messages with links, for owners and admins.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.block_person, public.unblock_person, public.set_slow_mode, public.slow_mode_wait,
  public.set_guest_links from public, anon, authenticated, service_role;
grant execute on function public.block_person, public.unblock_person, public.set_slow_mode, public.slow_mode_wait,
  public.set_guest_links to authenticated;
