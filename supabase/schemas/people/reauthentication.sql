-- Workspaces whose owners and admins authenticate again before dangerous commands. Decision 100 gives the reasons.
--
-- The claim `amr` of a token lists the methods by which its session has authenticated, each with its time in seconds. Refreshing the
-- token keeps the times. Verifying a second factor again renews its time, and a sign-in begins another session.

create function app.require_recent_authentication() returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  since constant numeric := extract(epoch from now() - interval '15 minutes');
begin
  if not exists (
    select from jsonb_path_query(claims, '$.amr[*]') entry (value)
    where case when jsonb_typeof(entry.value -> 'timestamp') = 'number' then (entry.value ->> 'timestamp')::numeric >= since end
      and entry.value ->> 'method' not in ('token_refresh', 'anonymous')
      -- A factor that was added during the session may belong to somebody who has taken over the session.
      and (entry.value ->> 'method' not in ('totp', 'mfa/phone', 'mfa/webauthn') or exists (
        select from auth.sessions s join auth.mfa_factors f on f.id = s.factor_id
        where s.id = session and s.user_id = account and f.created_at < s.created_at)))
  then
    raise exception using errcode = 'PT403', message = 'reauthentication_required';
  end if;
end
$$;
comment on function app.require_recent_authentication is
  'Fails with reauthentication_required unless the session of the caller has authenticated in the last 15 minutes: by signing in, or '
  'by a second factor that is older than the session.';

create function app.require_reauthentication() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (
    select from public.workspaces w where w.reauthentication and w.id in (select app.my_managed_workspace_ids()))
  then
    perform app.require_recent_authentication();
  end if;
end
$$;
comment on function app.require_reauthentication is
  'Requires a recent authentication if the caller is an owner or admin of a workspace that requires it.';

create function app.check_reauthentication(path text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if path = any (array[
    -- The workspace, and who may do what in it
    '/rpc/schedule_workspace_deletion', '/rpc/set_workspace_options', '/rpc/set_second_factor_requirement',
    '/rpc/set_web_channels', '/rpc/set_guest_links', '/rpc/set_joining_domain', '/rpc/set_joining_options',
    '/rpc/set_retention', '/rpc/undo_import', '/rpc/claim_imported_person', '/rpc/set_private_export',
    -- People
    '/rpc/set_member_role', '/rpc/transfer_ownership', '/rpc/deactivate_member', '/rpc/reactivate_member',
    '/rpc/remove_person', '/rpc/erase_person', '/rpc/sign_out_person', '/rpc/correct_address',
    -- Channels
    '/rpc/delete_channel', '/rpc/publish_channel',
    -- Bots, webhooks and their secrets
    '/rpc/create_bot', '/rpc/create_bot_token', '/rpc/end_bot', '/rpc/create_incoming_webhook', '/rpc/renew_incoming_webhook',
    '/rpc/update_incoming_webhook', '/rpc/create_outgoing_webhook', '/rpc/renew_outgoing_webhook', '/rpc/create_bot_command',
    '/rpc/update_bot_command', '/rpc/renew_command_secret', '/rpc/end_integrations',
    -- The session that this begins has authenticated recently.
    '/rpc/approve_device'])
  then
    perform app.require_reauthentication();
  end if;
end
$$;
comment on function app.check_reauthentication is
  'Requires a recent authentication for the path of a dangerous command, as app.require_reauthentication. Called by '
  'app.check_request.';

create function public.set_reauthentication(workspace uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  if "on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform app.require_recent_authentication();
  update public.workspaces w set reauthentication = "on"
  where w.id = workspace and me is not null and w.reauthentication <> "on";
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_reauthentication is
  'Sets whether owners and admins of a workspace authenticate again before dangerous commands. For owners who have authenticated '
  'recently, so that none turns it on who cannot do so.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_reauthentication from public, anon, authenticated, service_role;
grant execute on function public.set_reauthentication to authenticated;
