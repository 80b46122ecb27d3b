-- The message at a time, from which a conversation is opened at a date, and the name of the slash command for it.

create function public.message_at(channel uuid, since timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  first bigint;
  lower bigint;
  upper bigint;
  middle bigint;
  found jsonb;
begin
  select greatest(access.history_from_seq, c.first_seq), k.last_seq + 1 into first, upper
  from public.channels c join public.channel_counters k on k.channel_id = c.id
  where c.id = channel;
  lower := first;
  -- Messages are numbered without gaps in the order of their time: each step reads one row by its number.
  while lower < upper loop
    middle := lower + (upper - lower) / 2;
    if exists (
      select from public.messages m where m.channel_id = channel and m.seq = middle and m.created_at < since)
    then
      lower := middle + 1;
    else
      upper := middle;
    end if;
  end loop;
  -- The condition of the index messages_unread, which has no deleted messages.
  select jsonb_build_object('id', m.id, 'seq', m.seq, 'created_at', m.created_at) into found
  from public.messages m
  where m.channel_id = channel and m.seq >= lower
    and m.seq is not null and m.deleted_at is null and m.kind = 'text'
  order by m.seq limit 1;
  if found is null then
    select jsonb_build_object('id', m.id, 'seq', m.seq, 'created_at', m.created_at) into found
    from public.messages m
    where m.channel_id = channel and m.seq >= first and m.seq < lower
      and m.seq is not null and m.deleted_at is null and m.kind = 'text'
    order by m.seq desc limit 1;
  end if;
  return jsonb_build_object('message', found);
end
$$;
comment on function public.message_at is
  'The first message of a channel at or after a time (without one: of all), else the last one before it; null in a channel '
  'without messages. Deleted and system messages and those before the start of the caller''s history are left out.';

-- The command /date of the application, whose name bots can no longer register.
create or replace function app.check_bot_command(command public.bot_commands) returns public.bot_commands
language plpgsql stable security definer set search_path = ''
as $$
begin
  command.name := lower(btrim(command.name));
  command.description := btrim(command.description);
  command.hint := btrim(coalesce(command.hint, ''));
  command.url := nullif(btrim(command.url), '');
  if (command.name ~ '^[a-z][a-z0-9_-]{0,31}$' and char_length(command.description) between 1 and 100
    and char_length(command.hint) <= 60) is not true
  then
    raise exception using errcode = 'PT400', message = 'bad_command';
  elsif command.url is not null and not app.is_outgoing_url(command.url) then
    raise exception using errcode = 'PT400', message = 'bad_command_url';
  -- Those of the application (`BUILT_IN_COMMANDS` in wire/botCommands.ts).
  elsif command.name in ('date', 'dm', 'invite', 'leave', 'me', 'msg', 'mute', 'poll', 'remind', 'shortcuts', 'shrug',
      'status', 'topic')
    or exists (
      select from public.bot_commands k
      where k.workspace_id = command.workspace_id and k.name = command.name and k.id <> command.id)
  then
    raise exception using errcode = 'PT409', message = 'command_taken';
  end if;
  return command;
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.message_at from public, anon, authenticated, service_role;
grant execute on function public.message_at to authenticated;
