-- Small signs: reactions, pins, typing, and how far one has read.

create function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(message);
  shown constant public.messages := app.lock_message(message);
begin
  if shown.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if react.emoji is null or char_length(react.emoji) not between 1 and 64 or react.emoji ~ '[[:cntrl:][:space:]]'
    or react."on" is null
  then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, react.emoji, reading.profile_id) on conflict do nothing;
  else
    delete from public.reactions r
    where r.message_id = message and r.emoji = react.emoji and r.profile_id = reading.profile_id;
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r where r.message_id = message) > 50 then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    -- Whose sign changed goes along, so that each client can follow which are its own.
    perform set_config('app.reaction', jsonb_build_object('emoji', react.emoji, 'by', reading.profile_id,
      'on', react."on")::text, true);
    update public.messages m set rev = app.next_rev(shown.channel_id) where m.id = message;
    perform set_config('app.reaction', '', true);
  end if;
  return app.one_message(message, reading.profile_id);
end
$$;
comment on function public.react is 'Puts one''s sign under a message or takes it away; done already, nothing changes.';

create function public.pin_message(message uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(message);
  shown constant public.messages := app.lock_message(message);
begin
  if reading.workspace_role = 'guest' or shown.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif shown.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if pin_message."on" then
    insert into public.pins (message_id, channel_id, pinned_by)
    values (message, shown.channel_id, reading.profile_id) on conflict do nothing;
  else
    delete from public.pins p where p.message_id = message;
  end if;
  if found then
    update public.messages m set rev = app.next_rev(shown.channel_id) where m.id = message;
  end if;
  return app.one_message(message, reading.profile_id);
end
$$;
comment on function public.pin_message is 'Keeps a message at hand in its channel, or no longer.';

create function public.typing(channel uuid, thread_root uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_participant(channel);
begin
  perform app.tell_channel(channel, 'typing', jsonb_build_object('channel_id', channel,
    'profile_id', reading.profile_id, 'thread_root', typing.thread_root));
  return null;
end
$$;
comment on function public.typing is
  'Says that the caller is writing. A command, since a client that may speak on a topic may forge a message there.';

create function app.read_answer(reading app.reading, channel uuid, applied boolean) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('channel_id', channel, 'applied', applied, 'state', app.state_as_json(s),
      'counts', app.unread_counts(s.profile_id, channel, greatest(s.last_read_seq, reading.history_from_seq - 1)))
    from public.channel_state s where s.channel_id = channel and s.profile_id = reading.profile_id
  );
end
$$;
comment on function app.read_answer is 'Where one''s pointer stands after a move, and what is unread then.';

create function app.require_place(channel uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if not reading.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  return reading;
end
$$;
comment on function app.require_place is 'As require_reader, and the caller belongs to the channel, archived or not.';

create function public.mark_read(channel uuid, seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_place(channel);
  reached bigint;
  applied boolean;
begin
  select least(mark_read.seq, k.last_seq) into reached from public.channel_counters k where k.channel_id = channel;
  update public.channel_state s set last_read_seq = reached, read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = reading.profile_id
    and s.read_version = mark_read.read_version and s.last_read_seq < reached;
  applied := found or exists (
    select from public.channel_state s
    where s.channel_id = channel and s.profile_id = reading.profile_id and s.read_version = mark_read.read_version);
  return app.read_answer(reading, channel, applied);
end
$$;
comment on function public.mark_read is
  'Raises one''s pointer if nobody moved it since `read_version`; else answers with the one that stands.';

create function public.mark_unread(channel uuid, seq bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_place(channel);
begin
  update public.channel_state s
  set last_read_seq = greatest(mark_unread.seq - 1, 0), read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = reading.profile_id
    and s.last_read_seq > greatest(mark_unread.seq - 1, 0);
  return app.read_answer(reading, channel, true);
end
$$;
comment on function public.mark_unread is 'Makes everything from `seq` on unread again; the only way to lower a pointer.';

revoke execute on function public.react, public.pin_message, public.typing, public.mark_read, public.mark_unread
  from public, anon, authenticated, service_role;
grant execute on function public.react, public.pin_message, public.typing, public.mark_read, public.mark_unread
  to authenticated;

revoke execute on all functions in schema app from public;
