-- Invitations by mail to many people at once, again on request; guests whose access ends.
--
-- The function that sends a mail gets a new token with each claim, so that none is stored before it is sent, and none that
-- an admin has seen is mailed. Decision 47 gives the reasons.

insert into public.settings (key, value) values ('invitation_mails_per_day', '500');

-- Inviting by mail -------------------------------------------------------------------------------------

create function public.invite_by_mail(
  workspace uuid, emails text[], role text, channels uuid[], hours integer default 168, access_days integer default null,
  starts_at timestamptz default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  requested constant text[] := array(
    select distinct coalesce(app.email_address(e), btrim(e)) from unnest(emails[1:101]) e where btrim(e) <> '' order by 1);
  -- Only owners and admins see the addresses of members.
  present constant text[] := array(
    select u.email::text from auth.users u
    join public.profiles p on p.user_id = u.id
    join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
    where u.email = any (requested) and app.is_active_member(w) and workspace in (select app.my_managed_workspace_ids())
    order by 1);
  addresses constant text[] := array(select r.address from unnest(requested) r (address) where r.address <> all (present));
  max_per_day constant integer := (
    select s.value::integer from public.settings s where s.key = 'invitation_mails_per_day');
  address text;
  created uuid;
begin
  if not app.can_invite(me, workspace, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if cardinality(requested) = 0 or cardinality(emails) > 100 then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  -- Concurrent calls would not count each other's mails.
  perform pg_advisory_xact_lock(hashtextextended('linnet_invitations ' || workspace, 0));
  if (select count(*) from public.invitations i
      where i.workspace_id = workspace and i.created_at > now() - interval '1 day' and i.mail_state is not null)
    + cardinality(addresses) > max_per_day
    or exists (
      select from public.invitations i
      where i.workspace_id = workspace and i.email = any (addresses) and i.created_at > now() - interval '1 day'
        and i.mail_state is not null
      group by i.email having count(*) >= 5)
  then
    raise exception using errcode = 'PT409', message = 'too_many_invitations';
  end if;
  -- An address has one invitation, so that who revokes the one in the list revokes it. Members replace their own only.
  update public.invitations i set revoked_at = now()
  where i.workspace_id = workspace and i.email = any (addresses) and i.revoked_at is null and i.uses < i.max_uses
    and (i.invited_by = me or workspace in (select app.my_managed_workspace_ids()));
  foreach address in array addresses loop
    -- Its token is forgotten: the mail gets one of its own.
    created := public.create_invitation(workspace, role, channels, address, 1, hours, access_days, starts_at) ->> 'id';
    update public.invitations i set mail_state = 'queued' where i.id = created;
    perform app.add_job('invitation', me, jsonb_build_object('invitation_id', created));
  end loop;
  if cardinality(addresses) > 0 then perform app.start_task('notification-mail'); end if;
  return jsonb_build_object('invited', cardinality(addresses), 'members', to_jsonb(present));
end
$$;
comment on function public.invite_by_mail is
  'Invites up to 100 addresses, each by a mail with a link for one use. Replaces their unused invitations to the workspace. '
  'A workspace sends at most `invitation_mails_per_day`, to one address 5. Returns the number of invitations and, for owners '
  'and admins, the addresses of active members, who are not invited.';

create function public.resend_invitation(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  invitation public.invitations;
begin
  select * into invitation from public.invitations i
  where i.id = resend_invitation.id and i.mail_state is not null
    and i.revoked_at is null and i.uses < i.max_uses
    and (i.workspace_id in (select app.my_managed_workspace_ids())
      or i.invited_by = me and i.workspace_id in (select app.my_workspace_ids()));
  if invitation.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return public.invite_by_mail(invitation.workspace_id, array[invitation.email], invitation.role,
    array(select o.channel_id from app.channels_of_invitation(invitation) o
      where o.channel_id in (select r.channel_id from app.my_readable_channels() r)),
    least(greatest(round(extract(epoch from invitation.expires_at - greatest(invitation.created_at, invitation.starts_at)) / 3600)::integer, 1), 720),
    invitation.access_days, case when invitation.starts_at > now() then invitation.starts_at end);
end
$$;
comment on function public.resend_invitation is
  'Invites the same address again, also after the invitation has expired or its author may no longer invite: with a new '
  'link, by the caller, and to those of its channels that the caller may read. The previous link ends.';

-- Sending ----------------------------------------------------------------------------------------------

create function app.is_invitation_open(invitation public.invitations) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(invitation.revoked_at is null and invitation.expires_at > now() and invitation.uses < invitation.max_uses
    and app.can_invite(invitation.invited_by, invitation.workspace_id, invitation.role), false)
$$;
comment on function app.is_invitation_open is 'Whether an invitation can be used now.';

create function public.claim_invitations(max_mails integer default 20) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  invitation public.invitations;
  token text;
  mails jsonb := '[]';
begin
  for job in select c.* from app.claim_jobs('invitation', least(greatest(max_mails, 1), 20)) c loop
    select * into invitation from public.invitations i where i.id = (job.payload ->> 'invitation_id')::uuid for update;
    if not app.is_invitation_open(invitation) or job.payload ? 'sending' then
      -- A mail that a killed function was sending may have arrived, with the token that is stored: it is not repeated.
      update public.invitations i set mail_state = case when job.payload ? 'sending' then 'sent' else 'failed' end
      where i.id = invitation.id;
      perform app.finish_job(job.id);
      continue;
    end if;
    token := app.random_token();
    update public.invitations i set token_hash = app.hash_token(token) where i.id = invitation.id;
    mails := mails || (
      select jsonb_build_object('job', job.id, 'attempt', job.attempts, 'to', invitation.email, 'token', token,
        'invited_by', p.name, 'workspace', w.name, 'expires_at', invitation.expires_at,
        'starts_at', case when invitation.starts_at > now() then invitation.starts_at end, 'language', app.mail_language(w.id))
      from public.profiles p, public.workspaces w
      where p.id = invitation.invited_by and w.id = invitation.workspace_id);
  end loop;
  return jsonb_build_object('mails', mails);
end
$$;
comment on function public.claim_invitations is
  'For service_role: invitations whose mails are due, each with a new token, of which only the hash is stored.';

create function public.begin_invitation(job uuid, attempt integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed public.jobs;
  invitation public.invitations;
begin
  select j.* into claimed from public.jobs j
  where j.id = job and j.kind = 'invitation' and j.attempts = attempt and j.failed_at is null and j.run_at > now()
    and not j.payload ? 'sending'
  for update;
  select i.* into invitation from public.invitations i where i.id = (claimed.payload ->> 'invitation_id')::uuid;
  if not app.is_invitation_open(invitation) then return jsonb_build_object('permitted', false); end if;
  update public.jobs j set payload = j.payload || '{"sending": true}' where j.id = job;
  return jsonb_build_object('permitted', true);
end
$$;
comment on function public.begin_invitation is
  'For service_role: whether the end of a mail may be sent. Not if its claim has ended, or the invitation was revoked '
  'meanwhile.';

create function public.finish_invitations(results jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  done record;
  finished public.jobs;
  state text;
begin
  for done in
    select r.* from jsonb_to_recordset(results) as r (job uuid, attempt integer, outcome text, problem text)
  loop
    select j.* into finished from public.jobs j
    where j.id = done.job and j.kind = 'invitation' and j.attempts = done.attempt and j.failed_at is null for update;
    if finished.id is null then continue; end if;
    state := case when done.outcome in ('accepted', 'unknown') then 'sent' when done.outcome = 'rejected' then 'rejected' end;
    if state is null then
      update public.jobs j set payload = j.payload - 'sending' where j.id = finished.id;
      if not app.finish_job(finished.id, coalesce(done.problem, 'The mail was not sent.')) then continue; end if;
      state := 'failed';
    else
      perform app.finish_job(finished.id);
    end if;
    update public.invitations i set mail_state = state where i.id = (finished.payload ->> 'invitation_id')::uuid;
  end loop;
  return jsonb_build_object('finished', jsonb_array_length(results));
end
$$;
comment on function public.finish_invitations is
  'For service_role: what became of mails, as finish_mails. A mail that may have arrived counts as sent.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.invite_by_mail, public.resend_invitation, public.claim_invitations,
  public.begin_invitation, public.finish_invitations from public, anon, authenticated, service_role;
grant execute on function public.invite_by_mail, public.resend_invitation to authenticated;
grant execute on function public.claim_invitations, public.begin_invitation, public.finish_invitations to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: mail invitations', '* * * * *', $$
  select app.start_task('notification-mail') where exists (
    select from public.jobs j where j.kind = 'invitation' and j.failed_at is null and j.run_at <= now())$$);
