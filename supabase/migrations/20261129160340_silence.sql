-- Refuses what a silenced person could still make others read: notices of joining and leaving, without limit; any text as their
-- time zone; another picture in place of their avatar; invitations, whose mails have their name; and as an admin the name of the
-- workspace, bots, commands and webhooks.

create or replace function app.post_system_message(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.channel_counters;
begin
  -- When a silenced person joins or leaves, others see it only in the list of members.
  if note ->> 'event' in ('joined', 'left') and app.is_silenced(author, channel) then
    return (select k.last_seq from public.channel_counters k where k.channel_id = post_system_message.channel);
  end if;
  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, kind, seq, history_seq, rev, author_id, body, system, created_at)
  values (gen_random_uuid(), channel, 'system', counters.last_seq, counters.last_seq, counters.rev, author, '', note,
    counters.last_at);
  return counters.last_seq;
end
$$;
comment on function app.post_system_message is
  'Inserts a system message (someone joined, left or changed the channel) and returns its seq. A silenced person joins and '
  'leaves without a message, and the function returns the last seq of the channel.';

drop trigger silenced_people_write_nothing on public.messages;
create trigger silenced_people_write_nothing before insert on public.messages
  for each row when (new.author_id is not null and new.extras -> 'moved' is null)
  execute function app.refuse_silenced_author();
comment on trigger silenced_people_write_nothing on public.messages is
  'A trigger, since messages are sent by commands, schedules and webhooks. Not for copies by somebody who moves a thread.';

create or replace function app.refuse_silenced_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  if (new.id = me or new.kind = 'bot')
    and exists (select from public.silences s where s.profile_id = me and s.until > now())
  then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  return new;
end
$$;
comment on function app.refuse_silenced_profile is
  'Fails with silenced if the caller is silenced in any workspace and changes the profile of a bot, or their own profile, '
  'which all workspaces display.';
drop trigger silenced_people_change_no_profile on public.profiles;
create trigger silenced_people_change_no_profile before update on public.profiles
  for each row when ((old.name, old.pronouns, old.title, old.avatar, old.status_emoji, old.status_text, old.time_zone)
    is distinct from (new.name, new.pronouns, new.title, new.avatar, new.status_emoji, new.status_text, new.time_zone))
  execute function app.refuse_silenced_profile();
comment on trigger silenced_people_change_no_profile on public.profiles is
  'A name or a status is read by everybody. Presence stays theirs, and others may remove what they have written.';

-- Time zones -------------------------------------------------------------------------------------------

update public.profiles p set time_zone = null where p.time_zone is not null and not app.is_time_zone(p.time_zone);

create function app.check_profile_time_zone() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not app.is_time_zone(new.time_zone) then
    raise exception using errcode = '23514', schema = 'public', table = 'profiles', constraint = 'profiles_time_zone_form',
      message = 'new row for relation "profiles" violates check constraint "profiles_time_zone_form"';
  end if;
  return new;
end
$$;
comment on function app.check_profile_time_zone is
  'Refuses an unknown time zone with the error of a check constraint. Everybody reads the time zone, so it must not be free '
  'text.';
create trigger time_zones_are_known before insert or update of time_zone on public.profiles
  for each row when (new.time_zone is not null) execute function app.check_profile_time_zone();

-- Pictures ---------------------------------------------------------------------------------------------

create function app.am_silenced() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.silences s where s.profile_id = app.my_profile_id() and s.until > now())
$$;
comment on function app.am_silenced is 'Whether the caller is silenced in any workspace at this time.';
revoke execute on function app.am_silenced from public;
grant execute on function app.am_silenced to authenticated;

create policy "silenced people upload no avatars and emoji" on storage.objects
  as restrictive for insert to authenticated with check (bucket_id <> 'avatars' or not (select app.am_silenced()));
create policy "silenced people replace no avatars" on storage.objects
  as restrictive for update to authenticated using (bucket_id <> 'avatars' or not (select app.am_silenced()));

-- Names and texts of the workspace ---------------------------------------------------------------------

create function app.refuse_silenced_caller() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  record constant jsonb := to_jsonb(new);
  me constant uuid := app.my_profile_id();
begin
  if me is not null and exists (select from public.silences s where s.profile_id = me and s.until > now()) then
    perform app.refuse_silenced(coalesce(
      case when tg_table_name = 'workspaces' then (record ->> 'id')::uuid end,
      (record ->> 'workspace_id')::uuid,
      (select b.workspace_id from public.bots b where b.profile_id = (record ->> 'bot_id')::uuid)), me);
  end if;
  return new;
end
$$;
comment on function app.refuse_silenced_caller is
  'Fails with silenced if the caller is silenced in the workspace of the row. It permits changes by the server itself.';
create trigger silenced_people_invite_nobody before insert on public.invitations
  for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_resend_no_invitation before update of mail_state on public.invitations
  for each row when (new.mail_state = 'queued') execute function app.refuse_silenced_caller();
create trigger silenced_people_add_no_emoji before insert or update of name, aliases on public.custom_emoji
  for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_name_no_workspace before update of name, icon on public.workspaces
  for each row when ((old.name, old.icon) is distinct from (new.name, new.icon))
  execute function app.refuse_silenced_caller();
create trigger silenced_people_change_no_bot before insert or update of description on public.bots
  for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_create_no_token before update of token_created_at on public.bots
  for each row when (new.token_created_at is not null) execute function app.refuse_silenced_caller();
create trigger silenced_people_change_no_command before insert or update of name, description, hint, url
  on public.bot_commands for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_create_no_webhook before insert or update of token_hash on public.incoming_webhooks
  for each row execute function app.refuse_silenced_caller();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
