-- Restored copies of a database. A copy sends nothing to other servers until its owner confirms that the original is gone:
-- otherwise people would get notifications and mails from both. Decision 86 gives the reasons.

create table public.restores (
  id uuid primary key,
  restored_at timestamptz not null default now(),
  recovered_to timestamptz,
  resumed_at timestamptz
);
comment on table public.restores is
  'Each time this database was restored from a backup. Nothing is sent to other servers while a row has no `resumed_at`. Read by '
  'functions only. No access for clients.';
comment on column public.restores.recovered_to is 'The moment whose state was restored; null if it is unknown.';
comment on column public.restores.resumed_at is 'When the owner confirmed that the original is gone.';
alter table public.restores enable row level security;
revoke all on public.restores from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.restores to service_role;

create function app.is_outgoing_paused() returns boolean
language sql stable security definer set search_path = ''
as $$ select exists (select from public.restores r where r.resumed_at is null) $$;
comment on function app.is_outgoing_paused is
  'Whether this database is a restored copy whose owner has not confirmed that the original is gone. Nothing may be sent to other '
  'servers then.';

create function app.outgoing_job_kinds() returns text[]
language sql immutable set search_path = ''
as $$ select '{push_message,push,mail_message,mail,invitation,account_mail,webhook,command,link_preview}'::text[] $$;
comment on function app.outgoing_job_kinds is 'The kinds of jobs that send requests or mails to other servers.';

create function app.outgoing_tasks() returns text[]
language sql immutable set search_path = ''
as $$ select '{push,notification-mail,outgoing-webhooks,link-previews}'::text[] $$;
comment on function app.outgoing_tasks is 'The Edge Functions that send requests or mails to other servers.';

create function public.pause_outgoing(restore uuid default gen_random_uuid(), recovered_to timestamptz default null)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into public.restores (id, recovered_to) values (pause_outgoing.restore, pause_outgoing.recovered_to)
  on conflict (id) do nothing;
  if found then
    update public.invitations i set mail_state = 'failed'
    from public.jobs j
    where j.kind = 'invitation' and j.failed_at is null and i.id = (j.payload ->> 'invitation_id')::uuid;
    delete from public.jobs j where j.kind = any (app.outgoing_job_kinds()) and j.failed_at is null;
    delete from public.mail_messages where true;
  end if;
  return jsonb_build_object('paused', app.is_outgoing_paused());
end
$$;
comment on function public.pause_outgoing is
  'For service_role: makes this database a restored copy that sends nothing to other servers. Discards what was queued to be sent '
  'before the restore, because the original has sent it. Repeated calls for the same restore change nothing, also after it was '
  'confirmed.';

create function public.resume_outgoing() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.restores r set resumed_at = now() where r.resumed_at is null;
  return jsonb_build_object('paused', false);
end
$$;
comment on function public.resume_outgoing is
  'For service_role: confirms that the original of this restored copy is gone. Jobs of pg_cron send what was queued since the '
  'restore within a minute.';

create function app.is_importing() returns boolean
language sql stable set search_path = ''
as $$ select session_user = 'postgres' and current_setting('linnet.is_importing', true) is not distinct from 'true' $$;
comment on function app.is_importing is
  'Whether `linnet import` or a job of imports runs this transaction. Imported rows cause no events, no notifications and no entries '
  'of the audit log, and mention everyone as they did. Requests of clients have another session user, whatever settings they have.';

create function app.is_first_workspace(workspace uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- The setting exists once a first workspace was deleted: see app.keep_first_workspace.
  return workspace is not distinct from coalesce(
    (select (s.value #>> '{}')::uuid from public.settings s where s.key = 'first_workspace'),
    (select w.id from public.workspaces w order by w.created_at, w.id limit 1));
end
$$;
comment on function app.is_first_workspace is
  'Whether a workspace is the one that was founded with the set-up token: its owners are those who installed the server. After '
  'its deletion none may be.';

create function app.require_server_owner(workspace uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner');
  if not app.is_first_workspace(workspace) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
end
$$;
comment on function app.require_server_owner is
  'Refuses all callers but owners of the first workspace, who administer the whole installation.';

create function public.confirm_restore(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.require_server_owner(workspace);
  return public.resume_outgoing();
end
$$;
comment on function public.confirm_restore is
  'Confirms that the original of this restored copy is gone, so that it sends notifications and mails again. For owners of the '
  'first workspace. Succeeds also if nothing is paused.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.pause_outgoing, public.resume_outgoing, public.confirm_restore
  from public, anon, authenticated, service_role;
grant execute on function public.pause_outgoing, public.resume_outgoing to service_role;
grant execute on function public.confirm_restore to authenticated;
