-- Workspaces that require a second factor of everybody. Decision 99 gives the reasons.
--
-- `workspaces.second_factor_from` is the date of the requirement. Triggers store it in `workspace_members.second_factor_due` for
-- each person whose account has no second factor, and the generated column `access_ends_at` combines it with the expiry of guests.
-- Each check of access compares that column. The person is paused once the date has passed: a member who reads nothing and
-- changes nothing until their account has a second factor. Bots have no factors and are never paused.

-- Dates ------------------------------------------------------------------------------------------------

create function app.set_second_factor_due() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  required_from timestamptz;
begin
  -- The lock makes the requirement and this insertion see each other. The trigger people_are_in_few_workspaces has locked the
  -- profile before, by its name.
  select w.second_factor_from into required_from from public.workspaces w where w.id = new.workspace_id for share;
  new.second_factor_due := (
    select required_from from public.profiles p
    where p.id = new.profile_id and p.kind <> 'bot' and not p.second_factor);
  new.is_paused := coalesce(new.second_factor_due <= now(), false);
  return new;
end
$$;
comment on function app.set_second_factor_due is 'Sets the date of a new member.';
create trigger set_second_factor_due before insert on public.workspace_members
  for each row execute function app.set_second_factor_due();

create function app.update_second_factor_due() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Ordered, so that two statements lock the same memberships in the same order.
  perform from public.workspace_members m where m.profile_id = new.id order by m.workspace_id for no key update;
  -- At once: the subscriptions of a person who has removed their factor end with this transaction.
  update public.workspace_members m
  set second_factor_due = d.due, is_paused = coalesce(d.due <= now(), false)
  from (
    select n.workspace_id, case when new.kind <> 'bot' and not new.second_factor then w.second_factor_from end as due
    from public.workspace_members n join public.workspaces w on w.id = n.workspace_id
    where n.profile_id = new.id) d
  where m.profile_id = new.id and m.workspace_id = d.workspace_id and m.second_factor_due is distinct from d.due;
  -- The person's pages show that a factor is missing. They fetch all workspaces after one event. The page that has verified a
  -- factor fetches them itself, with its new token: an event would arrive before the token.
  if old.second_factor and not new.second_factor then
    perform app.notify_user(new.id, 'workspace', jsonb_build_object('workspace_id', m.workspace_id))
    from public.workspace_members m where m.profile_id = new.id order by m.workspace_id limit 1;
  end if;
  return null;
end
$$;
comment on function app.update_second_factor_due is 'Updates the dates of a person whose account got or lost its second factor.';
create trigger update_second_factor_due after update on public.profiles
  for each row when ((old.second_factor, old.kind) is distinct from (new.second_factor, new.kind))
  execute function app.update_second_factor_due();

create function app.update_second_factor_dues() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform from public.workspace_members m where m.workspace_id = new.id order by m.profile_id for no key update;
  -- In one statement, which broadcasts nothing: everybody receives the changed workspace.
  update public.workspace_members m set second_factor_due = new.second_factor_from
  from public.profiles p
  where m.workspace_id = new.id and p.id = m.profile_id and p.kind <> 'bot' and not p.second_factor;
  -- Paused members may have been given time, and open the workspace again.
  update public.workspace_members m set is_paused = false
  where m.workspace_id = new.id and m.is_paused and (m.second_factor_due > now()) is not false;
  return null;
end
$$;
comment on function app.update_second_factor_dues is 'Updates the dates of everybody in a workspace whose requirement has changed.';
create trigger update_second_factor_dues after update on public.workspaces
  for each row when (old.second_factor_from is distinct from new.second_factor_from)
  execute function app.update_second_factor_dues();

-- Pausing ----------------------------------------------------------------------------------------------

create function app.pause_member() returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- One person: the channels of two would not be locked in one order.
  update public.workspace_members m set is_paused = true
  where (m.workspace_id, m.profile_id) = (
    select d.workspace_id, d.profile_id from public.workspace_members d
    where d.second_factor_due <= now() and not d.is_paused
    order by d.second_factor_due limit 1 for update skip locked);
  return found;
end
$$;
comment on function app.pause_member is
  'Ends the subscriptions of one member whose second factor is overdue; false if there is none. Called every minute by '
  'app.end_what_has_expired, since the passing of time fires no trigger.';

create function app.paused_workspaces_as_json(person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', w.id, 'name', w.name, 'second_factor_from', w.second_factor_from)
      order by m.created_at, w.id)
    from public.workspace_members m join public.workspaces w on w.id = m.workspace_id
    where m.profile_id = person and m.second_factor_due <= now() and app.is_active_member(m));
end
$$;
comment on function app.paused_workspaces_as_json is
  'The workspaces that a person can open only once their account has a second factor, by name and date; null if there are none.';

-- Requirement ------------------------------------------------------------------------------------------

create function public.set_second_factor_requirement(workspace uuid, days integer default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  if days not in (0, 3, 7, 14, 30) then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  -- The session of an account with a factor has verified it.
  if days is not null and not (select p.second_factor from public.profiles p where p.id = me) then
    raise exception using errcode = 'PT409', message = 'own_second_factor_missing';
  end if;
  update public.workspaces w set second_factor_from = now() + make_interval(days => days)
  where w.id = workspace and me is not null
    and (days is not null or w.second_factor_from is not null);
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_second_factor_requirement is
  'Requires a second factor of everybody in a workspace after 0, 3, 7, 14 or 30 days, or of nobody (null). For owners, who need one '
  'themselves: fails with own_second_factor_missing.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_second_factor_requirement from public, anon, authenticated, service_role;
grant execute on function public.set_second_factor_requirement to authenticated;
