-- Slow mode: an interval between two messages of one person in a channel. Decision 48 gives the reasons.

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

create function app.slow_mode_seconds(person uuid, channel uuid) returns integer
language sql stable security definer set search_path = ''
as $$
  select case when p.kind = 'person' and m.role not in ('owner', 'admin') and r.role is distinct from 'admin'
    then c.slow_seconds else 0 end
  from public.channels c
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = slow_mode_seconds.person
  join public.profiles p on p.id = m.profile_id
  left join public.channel_members r on r.channel_id = c.id and r.profile_id = m.profile_id
  where c.id = slow_mode_seconds.channel
$$;
comment on function app.slow_mode_seconds is
  'The interval between two messages of a person in a channel; 0 without slow mode, for bots, and for those who manage the '
  'workspace or the channel.';

create function app.take_slow_mode_turn(person uuid, channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  seconds constant integer := app.slow_mode_seconds(person, channel);
begin
  if coalesce(seconds, 0) = 0 then return; end if;
  insert into public.slow_mode_messages as s (channel_id, profile_id, sent_at)
  values (channel, person, clock_timestamp())
  on conflict (channel_id, profile_id) do update set sent_at = excluded.sent_at
  where s.sent_at <= clock_timestamp() - make_interval(secs => seconds);
  if not found then
    raise exception using errcode = 'PT403', message = 'slow_mode';
  end if;
end
$$;
comment on function app.take_slow_mode_turn is
  'Records that a person posts in a channel. Fails with slow_mode if they have posted within its interval. Needs the lock of '
  'the channel, so that one of two concurrent calls waits.';

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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_slow_mode, public.slow_mode_wait from public, anon, authenticated, service_role;
grant execute on function public.set_slow_mode, public.slow_mode_wait to authenticated;
