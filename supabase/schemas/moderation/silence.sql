-- Silence of a person for some time: they read, but change nothing that others read. Decision 48 gives the reasons.

create table public.silences (
  workspace_id uuid not null,
  profile_id uuid not null,
  until timestamptz not null,
  reason text not null
    constraint silences_reason_length check (char_length(reason) between 1 and 500)
    constraint silences_reason_legible check (app.is_legible(reason)),
  created_at timestamptz not null default now(),
  primary key (workspace_id, profile_id),
  constraint silences_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index silences_profile on public.silences (profile_id);
comment on table public.silences is
  'Who may not write until when. Compared with the time wherever it applies; an expired row is replaced by the next.';
alter table public.silences enable row level security;
create policy "people see their own silence and admins see all" on public.silences
  for select to authenticated using (
    workspace_id in (select app.my_managed_workspace_ids())
    or (profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()))
  );
comment on policy "people see their own silence and admins see all" on public.silences is
  'Other members do not learn who is silenced.';
revoke all on public.silences from public, anon, authenticated, service_role;
grant select on public.silences to authenticated;
grant select, insert, update, delete on public.silences to service_role;

create function app.notify_silence() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.silences := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'silence', jsonb_build_object('workspace_id', changed.workspace_id));
  return null;
end
$$;
comment on function app.notify_silence is
  'Notifies the devices of a person of a change of their silence; they fetch it, with their own rights.';
create trigger silences_are_broadcast after insert or update or delete on public.silences
  for each row execute function app.notify_silence();
comment on trigger silences_are_broadcast on public.silences is 'Ended early too.';

create function app.require_reason(reason text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if reason is null or char_length(btrim(reason)) not between 1 and 500 or not app.is_legible(reason) then
    raise exception using errcode = 'PT400', message = 'bad_reason';
  end if;
  return btrim(reason);
end
$$;
comment on function app.require_reason is 'A reason of 1 to 500 legible characters, without blanks around it; fails with bad_reason.';

create function public.silence_member(workspace uuid, person uuid, minutes integer, reason text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_rank_above(workspace, person);
  silence public.silences;
begin
  if me is null or minutes is null or minutes not between 5 and 43200 then
    raise exception using errcode = 'PT400', message = 'bad_silence';
  end if;
  insert into public.silences as s (workspace_id, profile_id, until, reason)
  values (workspace, person, now() + make_interval(mins => minutes), app.require_reason(silence_member.reason))
  on conflict (workspace_id, profile_id) do update
  set until = excluded.until, reason = excluded.reason, created_at = excluded.created_at
  returning * into silence;
  perform app.record_action(workspace, 'member.silenced',
    jsonb_build_object('profile_id', person, 'until', silence.until), silence.reason);
  return jsonb_build_object('profile_id', person, 'until', silence.until, 'reason', silence.reason);
end
$$;
comment on function public.silence_member is
  'Silences a person for 5 minutes to 30 days: they read, but write, react and change nothing. They see the reason and the '
  'time. For owners and admins, of people below them.';

create function public.end_silence(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_rank_above(workspace, person);
begin
  delete from public.silences s where s.workspace_id = workspace and s.profile_id = person and me is not null;
  if found then
    perform app.record_action(workspace, 'member.silence_ended', jsonb_build_object('profile_id', person));
  end if;
  return jsonb_build_object('profile_id', person);
end
$$;
comment on function public.end_silence is 'Ends a silence early. Succeeds also if there is none.';

-- What silenced people cannot do -----------------------------------------------------------------------

create function app.is_silenced(person uuid, channel uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.silences s join public.channels c on c.workspace_id = s.workspace_id
    where s.profile_id = person and s.until > now() and c.id = channel);
end
$$;
comment on function app.is_silenced is 'Whether a person may not write in the workspace of a channel now.';

create function app.refuse_silenced(workspace uuid, person uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (
    select from public.silences s
    where s.workspace_id = workspace and s.profile_id = person and s.until > now())
  then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
end
$$;
comment on function app.refuse_silenced is 'Fails with silenced if a person may not write in a workspace now.';

create function app.refuse_silenced_author() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_importing() then return new; end if;
  if app.is_silenced(new.author_id, new.channel_id) then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  return new;
end
$$;
comment on function app.refuse_silenced_author is 'Fails with silenced if the author of a message is.';
create trigger silenced_people_edit_nothing before update of body on public.messages
  for each row when (new.body <> old.body and new.deleted_at is null)
  execute function app.refuse_silenced_author();
comment on trigger silenced_people_edit_nothing on public.messages is 'Deleting own messages stays possible.';

create function app.refuse_silenced_reaction() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.silences s where s.profile_id = new.profile_id and s.until > now())
    and app.is_silenced(new.profile_id, (select m.channel_id from public.messages m where m.id = new.message_id))
    and new.profile_id = app.my_profile_id()
  then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  return new;
end
$$;
comment on function app.refuse_silenced_reaction is
  'Fails with silenced if the caller is, and reacts or votes. Not for reactions that move with a thread.';
create trigger silenced_people_do_not_react before insert on public.reactions
  for each row execute function app.refuse_silenced_reaction();
comment on trigger silenced_people_do_not_react on public.reactions is 'An emoji can be an insult.';

create function app.refuse_silenced_profile() returns trigger
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
create trigger silenced_people_change_no_profile before update on public.profiles
  for each row when ((old.name, old.pronouns, old.title, old.avatar, old.status_emoji, old.status_text, old.time_zone)
    is distinct from (new.name, new.pronouns, new.title, new.avatar, new.status_emoji, new.status_text, new.time_zone))
  execute function app.refuse_silenced_profile();
comment on trigger silenced_people_change_no_profile on public.profiles is
  'A name or a status is read by everybody. Presence stays theirs, and others may remove what they have written.';

create function app.am_silenced() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.silences s where s.profile_id = app.my_profile_id() and s.until > now())
$$;
comment on function app.am_silenced is 'Whether the caller is silenced in any workspace at this time.';
create policy "silenced people upload no avatars and emoji" on storage.objects
  as restrictive for insert to authenticated with check (bucket_id <> 'avatars' or not (select app.am_silenced()));
create policy "silenced people replace no avatars" on storage.objects
  as restrictive for update to authenticated using (bucket_id <> 'avatars' or not (select app.am_silenced()));

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
create trigger silenced_people_name_no_workspace before update of name, icon on public.workspaces
  for each row when ((old.name, old.icon) is distinct from (new.name, new.icon))
  execute function app.refuse_silenced_caller();
create trigger silenced_people_change_no_bot before insert or update of description on public.bots
  for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_create_no_token before update of token_created_at on public.bots
  for each row when (new.token_created_at is not null) execute function app.refuse_silenced_caller();
create trigger silenced_people_change_no_command before insert or update of name, description, hint, url
  on public.bot_commands for each row execute function app.refuse_silenced_caller();
create trigger silenced_people_create_no_webhook before insert or update of token_hash, name, emoji, notifies_everyone
  on public.incoming_webhooks
  for each row execute function app.refuse_silenced_caller();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.silence_member, public.end_silence from public, anon, authenticated, service_role;
grant execute on function app.am_silenced to authenticated;
grant execute on function public.silence_member, public.end_silence to authenticated;
