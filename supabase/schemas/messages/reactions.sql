-- Reactions and pins, and the votes of polls, which are reactions with keys of their own.

-- Tables -----------------------------------------------------------------------------------------------

create table public.reactions (
  -- Deferrable, so that the broadcast of a moved message contains its reactions, which are moved before it is inserted.
  message_id uuid not null references public.messages (id) on delete cascade deferrable initially immediate,
  message_author_id uuid not null,
  emoji text not null
    constraint reactions_emoji_plain check (char_length(emoji) between 1 and 64 and emoji !~ '[[:cntrl:][:space:]]')
    constraint reactions_emoji_legible check (app.is_legible(emoji)),
  profile_id uuid not null references public.profiles (id) on delete cascade,
  position bigint not null generated always as identity,
  created_at timestamptz not null default now(),
  primary key (message_id, emoji, profile_id)
);
create index reactions_profile on public.reactions (profile_id);
-- Without votes and ticks, which have lists of their own.
create index reactions_received on public.reactions (message_author_id, created_at desc, position desc)
  where profile_id <> message_author_id and emoji not like 'poll:%' and emoji not like 'task:%';
comment on table public.reactions is 'Reactions to messages, in order.';
comment on column public.reactions.message_author_id is
  'The author of the message, who never changes; set by a trigger. Without a foreign key: the message has it.';
alter table public.reactions enable row level security;
create policy "readers of a message see its reactions" on public.reactions
  for select to authenticated using (
    exists (
      select from public.messages m
      where m.id = reactions.message_id and (
        reactions.emoji not like 'poll:%' or m.extras #>> '{poll,anonymous}' is distinct from 'true'
        or reactions.profile_id = (select app.my_profile_id()))
    )
  );
comment on policy "readers of a message see its reactions" on public.reactions is
  'The policy of messages applies to the subquery: reactions are visible exactly where their message is. Of an '
  'anonymous poll everyone sees only their own votes.';
revoke all on public.reactions from public, anon, authenticated, service_role;
grant select on public.reactions to authenticated;
grant select, insert, update, delete on public.reactions to service_role;
revoke all on sequence public.reactions_position_seq from public, anon, authenticated, service_role;

create function app.set_reaction_message_author() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.message_author_id := (select m.author_id from public.messages m where m.id = new.message_id);
  return new;
end
$$;
comment on function app.set_reaction_message_author is
  'Sets reactions.message_author_id, whatever the statement gives. Of a message that does not exist it fails.';
create trigger reactions_name_the_author before insert on public.reactions
  for each row execute function app.set_reaction_message_author();

create table public.pins (
  -- Deferrable, as that of reactions.
  message_id uuid primary key references public.messages (id) on delete cascade deferrable initially immediate,
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

create function app.is_secret_vote(message public.messages, key text) returns boolean
language sql immutable set search_path = ''
as $$ select key like 'poll:%' and message.extras #>> '{poll,anonymous}' is not distinct from 'true' $$;
comment on function app.is_secret_vote is
  'Whether a reaction to a message is a vote in an anonymous poll. Nobody else may learn who has voted.';

create function app.require_reaction_key(key text, target public.messages) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  poll constant jsonb := target.extras -> 'poll';
begin
  if key is null or char_length(key) not between 1 and 64 or key ~ '[[:cntrl:][:space:]]' then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  elsif key like 'poll:%' then
    if poll is null or key !~ '^poll:(0|[1-9][0-9]?)$'
      or split_part(key, ':', 2)::integer >= jsonb_array_length(poll -> 'options')
    then
      raise exception using errcode = 'PT400', message = 'bad_emoji';
    elsif (poll ->> 'closes_at')::timestamptz <= clock_timestamp() then
      raise exception using errcode = 'PT409', message = 'poll_closed';
    end if;
  elsif key like 'task:%' then
    if key !~ '^task:[0-9a-f]{8}$' or target.body !~ '\[[ xX]\]' then
      raise exception using errcode = 'PT400', message = 'bad_emoji';
    end if;
  elsif not app.is_emoji(key) and not exists (
    select from public.channels c
    join public.custom_emoji e on e.workspace_id = c.workspace_id
    where c.id = target.channel_id and key = ':' || e.name || ':'
  ) and not exists (
    -- One that was deleted can still be removed, and is shown by its name.
    select from public.reactions r where r.message_id = target.id and r.emoji = key
  ) then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
end
$$;
comment on function app.require_reaction_key is
  'Fails with bad_emoji unless the key is an emoji, `:name:` of a custom emoji, `poll:<option>` of a message with a poll, '
  'or `task:<hash>` of one with tasks (the hash of the task''s line, so that editing a line unticks it); with poll_closed '
  'after its end.';

create function app.reaction_key(requested text, target public.messages) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- With colons, the name first.
  names text[];
begin
  if char_length(requested) > 64 or requested ~ '^(poll|task):' then return requested; end if;
  if requested ~ '^:.+:$' then
    select array(select ':' || n || ':' from unnest(array[e.name] || e.aliases) with ordinality u (n, ordinal) order by ordinal)
    into names
    from public.channels c join public.custom_emoji e on e.workspace_id = c.workspace_id
    where c.id = target.channel_id and btrim(requested, ':') = any (array[e.name] || e.aliases);
  end if;
  return coalesce((
    select r.emoji from public.reactions r
    where r.message_id = target.id and (r.emoji = requested or r.emoji = any (names)
      or translate(r.emoji, E'\uFE0E\uFE0F', '') = translate(requested, E'\uFE0E\uFE0F', ''))
    order by r.emoji = requested desc, r.position limit 1), names[1], requested);
end
$$;
comment on function app.reaction_key is
  'The stored key of a reaction. Reactions that look equal have one key: the name of a custom emoji replaces its alias, and the '
  'key of an existing reaction replaces one that differs only by variation selectors.';

create function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
  key constant text := app.reaction_key(react.emoji, target);
  is_anonymous constant boolean := key like 'poll:%' and target.extras #>> '{poll,anonymous}' = 'true';
  removed text;
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif react."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  perform app.require_reaction_key(key, target);
  if react."on" and key like 'poll:%' and target.extras #>> '{poll,multiple}' = 'false' then
    -- Another choice replaces the first one. Each change is broadcast with a number of its own.
    for removed in
      delete from public.reactions r
      where r.message_id = message and r.profile_id = access.profile_id and r.emoji like 'poll:%' and r.emoji <> key
      returning r.emoji
    loop
      perform app.broadcast_reaction(target, removed, access.profile_id, false, is_anonymous);
    end loop;
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, key, access.profile_id) on conflict do nothing;
  else
    -- Tasks are shared: whoever unticks one removes the tick, whoever set it.
    delete from public.reactions r
    where r.message_id = message and r.emoji = key and (r.profile_id = access.profile_id or key like 'task:%');
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r
        where r.message_id = message and (r.emoji like 'task:%') = (key like 'task:%') and r.emoji not like 'poll:%')
      > (case when key like 'task:%' then 100 else 50 end)
    then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    perform app.broadcast_reaction(target, key, access.profile_id, react."on", is_anonymous);
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.react is
  'Adds the caller''s reaction, vote or tick to a message or removes it; if nothing changes, nothing is broadcast. A '
  'vote in a poll with a single choice replaces the earlier one.';

create function public.pin_message(message uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
  pinned public.messages;
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
    update public.messages m set rev = app.next_rev(target.channel_id) where m.id = message returning * into pinned;
    perform app.notify_difference(pinned, target.rev, app.numbers_as_json(pinned));
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.pin_message is 'Pins a message to its channel, or unpins it.';

-- Polls ------------------------------------------------------------------------------------------------

create function app.broadcast_reaction(
  message public.messages, key text, person uuid, is_on boolean, is_anonymous boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- A vote that replaces another one is the second change of the message in this transaction.
  before constant bigint := (select m.rev from public.messages m where m.id = message.id);
  changed public.messages;
begin
  update public.messages m set rev = app.next_rev(message.channel_id) where m.id = message.id returning * into changed;
  -- Includes whose reaction changed, so that each client can update `mine`. An anonymous vote is announced by its number only.
  perform app.notify_difference(changed, before, case when not is_anonymous then jsonb_build_object(
    'reaction', app.reaction_as_json(message.id, jsonb_build_object('emoji', key, 'by', person, 'on', is_on))) end);
end
$$;
comment on function app.broadcast_reaction is 'Numbers and broadcasts the change of one reaction.';

create function public.close_poll(message uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
begin
  if target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif not coalesce(target.extras ? 'poll', false) then
    raise exception using errcode = 'PT400', message = 'not_a_poll';
  elsif target.author_id <> access.profile_id and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if (target.extras #>> '{poll,closes_at}')::timestamptz > clock_timestamp()
    or target.extras #>> '{poll,closes_at}' is null
  then
    perform app.redact_broadcasts(target);
    update public.messages m
    set extras = jsonb_set(m.extras, '{poll,closes_at}', to_jsonb(clock_timestamp())), broadcast_at = now(),
      rev = app.next_rev(target.channel_id)
    where m.id = message;
  end if;
  return app.message_response(message, access.profile_id);
end
$$;
comment on function public.close_poll is
  'Ends a poll now. For its author and those who manage the channel; an ended one stays as it is.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.react, public.pin_message, public.close_poll
  from public, anon, authenticated, service_role;
grant execute on function public.react, public.pin_message, public.close_poll to authenticated;
