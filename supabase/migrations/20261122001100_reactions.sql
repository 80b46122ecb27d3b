-- Reactions and pins.

-- Tables -----------------------------------------------------------------------------------------------

create table public.reactions (
  message_id uuid not null references public.messages (id) on delete cascade,
  emoji text not null
    constraint reactions_emoji_plain check (char_length(emoji) between 1 and 64 and emoji !~ '[[:cntrl:][:space:]]')
    constraint reactions_emoji_legible check (app.is_legible(emoji)),
  profile_id uuid not null references public.profiles (id) on delete cascade,
  position bigint not null generated always as identity,
  created_at timestamptz not null default now(),
  primary key (message_id, emoji, profile_id)
);
create index reactions_profile on public.reactions (profile_id);
comment on table public.reactions is 'Reactions to messages, in order.';
alter table public.reactions enable row level security;
create policy "readers of a message see its reactions" on public.reactions
  for select to authenticated using (exists (select from public.messages m where m.id = reactions.message_id));
comment on policy "readers of a message see its reactions" on public.reactions is
  'The policy of messages applies to the subquery: reactions are visible exactly where their message is.';
revoke all on public.reactions from public, anon, authenticated, service_role;
revoke all on sequence public.reactions_position_seq from public, anon, authenticated, service_role;
grant select on public.reactions to authenticated;
grant select, insert, update, delete on public.reactions to service_role;

create table public.pins (
  message_id uuid primary key references public.messages (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  pinned_by uuid not null references public.profiles (id) on delete cascade,
  pinned_at timestamptz not null default now()
);
create index pins_channel on public.pins (channel_id);
create index pins_pinned_by on public.pins (pinned_by);
comment on table public.pins is 'Messages that are pinned to their channel.';
alter table public.pins enable row level security;
create policy "readers of a message see its pin" on public.pins
  for select to authenticated using (exists (select from public.messages m where m.id = pins.message_id));
comment on policy "readers of a message see its pin" on public.pins is 'As reactions.';
revoke all on public.pins from public, anon, authenticated, service_role;
grant select on public.pins to authenticated;
grant select, insert, update, delete on public.pins to service_role;

-- Commands ---------------------------------------------------------------------------------------------

create function app.reaction_as_json(message uuid, changed jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return changed || coalesce((
    select r.value || jsonb_build_object('at', r.ordinal - 1)
    from jsonb_array_elements(app.reactions_as_json(message, null)) with ordinality r (value, ordinal)
    where r.value ->> 'emoji' = changed ->> 'emoji'
  ), '{"count": 0, "people": [], "at": 0}');
end
$$;
comment on function app.reaction_as_json is
  'A changed reaction: its current count and people, and its position among those of the message. The cost does not '
  'depend on other reactions.';

create function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if react.emoji is null or char_length(react.emoji) not between 1 and 64 or react.emoji ~ '[[:cntrl:][:space:]]'
    or react."on" is null
  then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, react.emoji, access.profile_id) on conflict do nothing;
  else
    delete from public.reactions r
    where r.message_id = message and r.emoji = react.emoji and r.profile_id = access.profile_id;
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r where r.message_id = message) > 50 then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    -- Includes whose reaction changed, so that each client can update `mine`.
    perform set_config('app.reaction', jsonb_build_object('emoji', react.emoji, 'by', access.profile_id,
      'on', react."on")::text, true);
    update public.messages m set rev = app.next_rev(target.channel_id) where m.id = message;
    perform set_config('app.reaction', '', true);
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.react is
  'Adds the caller''s reaction to a message or removes it; if nothing changes, nothing is broadcast.';

create function public.pin_message(message uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
begin
  if access.workspace_role = 'guest' or target.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if pin_message."on" then
    insert into public.pins (message_id, channel_id, pinned_by)
    values (message, target.channel_id, access.profile_id) on conflict do nothing;
  else
    delete from public.pins p where p.message_id = message;
  end if;
  if found then
    update public.messages m set rev = app.next_rev(target.channel_id) where m.id = message;
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.pin_message is 'Pins a message to its channel, or unpins it.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.react, public.pin_message from public, anon, authenticated, service_role;
grant execute on function public.react, public.pin_message to authenticated;
