-- Exports of a workspace: which conversations an export for its owners contains. Decision 106 gives the reasons.

create function public.set_private_export(workspace uuid, allowed boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  if allowed is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w
  set allows_private_export = allowed, private_export_from = case when allowed then now() + interval '1 day' end
  where w.id = workspace and me is not null and w.allows_private_export <> allowed;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.set_private_export is
  'Sets whether an export for the owners of a workspace contains private and direct conversations, beginning 24 hours later. For '
  'its owners. All members see the setting at once, and the audit log records it.';

create function app.can_export_private(workspace public.workspaces) returns boolean
language sql stable set search_path = ''
as $$ select workspace.allows_private_export and coalesce(workspace.private_export_from <= now(), true) $$;
comment on function app.can_export_private is
  'Whether an export for the owners of a workspace contains private and direct conversations now.';

create function app.exported_channels(workspace uuid, scope text) returns setof uuid
language sql stable security definer set search_path = ''
as $$
  select c.id from public.channels c join public.workspaces w on w.id = c.workspace_id
  where w.id = workspace and (scope = 'all' or scope = 'owner' and (c.kind = 'public' or app.can_export_private(w)))
$$;
comment on function app.exported_channels is
  'The channels and conversations that an export contains: `all` for the person who runs the server, who can read the database anyway; '
  '`owner` for the owners of the workspace.';

create function app.record_export(
  workspace uuid, scope text, actor uuid default null, with_credentials boolean default false
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.audit_log (workspace_id, actor_id, action, target)
  select w.id, actor, 'workspace.exported',
    jsonb_build_object('scope', scope, 'with_private', scope = 'all' or app.can_export_private(w))
      || case when with_credentials then '{"with_credentials": true}'::jsonb else '{}' end
  from public.workspaces w where w.id = workspace;
end
$$;
comment on function app.record_export is
  'Adds an export to the audit log, before it begins. The actor is the owner who requested it, or null for the person who runs the server.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_private_export from public, anon, authenticated, service_role;
grant execute on function public.set_private_export to authenticated;
