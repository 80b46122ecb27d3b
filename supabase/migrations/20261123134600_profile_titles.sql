-- Titles and time zones of people: what the directory shows beside their names.

alter table public.profiles
  add column title text
    constraint profiles_title_length check (char_length(title) between 1 and 80 and title = btrim(title))
    constraint profiles_title_plain check (title !~ '[[:cntrl:]]')
    constraint profiles_title_legible check (app.is_legible(title)),
  add column time_zone text
    constraint profiles_time_zone_form check (time_zone ~ '^[A-Za-z0-9_+/-]{1,64}$');
comment on column public.profiles.title is 'What the person does, as they describe it: "Ward nurse". Null: not given.';
comment on column public.profiles.time_zone is
  'A name of the IANA database, as "Europe/Berlin", from which others compute the local time. Null: not shown. A client '
  'that does not know the name shows no time: names are added every year, so that the database checks only the form.';
grant select (title, time_zone), update (title, time_zone) on public.profiles to authenticated;
comment on policy "people edit their own profile" on public.profiles is
  'Column grants decide which columns: name, title, time zone, avatar, status and presence, never the account or the kind.';

create or replace function app.profile_as_json(profile public.profiles) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', profile.id, 'kind', profile.kind, 'name', profile.name, 'avatar', profile.avatar,
    'status_emoji', profile.status_emoji, 'status_text', profile.status_text,
    'status_expires_at', profile.status_expires_at, 'presence', profile.presence,
    'presence_until', profile.presence_until, 'title', profile.title, 'time_zone', profile.time_zone)
$$;

create or replace function app.members_as_json(workspace uuid, visible uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select json_agg((
      select member from (
        select
          (select o from (
            select p.id, p.kind, p.name, p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence,
              p.presence_until, p.title, p.time_zone) o) as profile,
          w.role, case when w.expires_at <= now() then 'deactivated' else w.state end as state
      ) member) order by w.created_at, p.id)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and p.id = any (visible)
  ), '[]');
end
$$;

create or replace function app.people_digests(workspace uuid, visible uuid[]) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(p.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(p.id, p.kind, p.name,
        p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence, p.presence_until, p.title,
        p.time_zone, w.role, w.state, w.expires_at <= now()), 0)) as hash
      from public.workspace_members w join public.profiles p on p.id = w.profile_id
      where w.workspace_id = workspace and (visible is null or p.id = any (visible))
      group by 1
    ) d
  );
end
$$;

create or replace function app.remove_avatar_with_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.avatar = null;
  new.title = null;
  new.time_zone = null;
  new.status_emoji = null;
  new.status_text = null;
  new.status_expires_at = null;
  new.presence = 'auto';
  new.presence_until = null;
  return new;
end
$$;

comment on function app.remove_avatar_with_account is
  'Removes avatar, title, time zone, status and presence of an account that is deleted. The name stays as the author of '
  'its messages, until erase_person removes it too.';

create or replace function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;

drop trigger profiles_are_broadcast on public.profiles;
create constraint trigger profiles_are_broadcast after update on public.profiles
  deferrable initially deferred for each row
  when ((old.user_id, old.name, old.avatar, old.status_emoji, old.status_text, old.status_expires_at, old.presence,
      old.presence_until, old.title, old.time_zone)
    is distinct from (new.user_id, new.name, new.avatar, new.status_emoji, new.status_text, new.status_expires_at,
      new.presence, new.presence_until, new.title, new.time_zone))
  execute function app.notify_profile();
comment on trigger profiles_are_broadcast on public.profiles is 'Only for what others see, and the end of the account.';
