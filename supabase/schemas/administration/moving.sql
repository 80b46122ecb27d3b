-- Exports and imports of a workspace by its owners. An embedded server runs them (backend/optional/moving). This function decides
-- who may start them, and records it.

create function public.check_moving(workspace uuid, starts text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
begin
  if check_moving.starts is not null then
    if check_moving.starts not in ('export', 'download', 'import') then
      raise exception using errcode = 'PT400', message = 'bad_state';
    end if;
    perform app.require_reauthentication();
    -- The export records itself: see app.record_export.
    insert into public.audit_log (workspace_id, actor_id, action, target)
    select check_moving.workspace, me,
      case check_moving.starts when 'download' then 'workspace.export_downloaded' else 'workspace.import_started' end, '{}'
    where check_moving.starts <> 'export';
  end if;
  return jsonb_build_object('profile_id', me, 'stored_bytes', coalesce(
    (select s.used_bytes from public.workspace_storage s where s.workspace_id = check_moving.workspace), 0));
end
$$;
comment on function public.check_moving is
  'Returns the profile of the caller and the size of the files of a workspace if the caller may export it and import into it: its '
  'owners. With `starts` (export, download, import): if they may start it now, which the audit log records.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.check_moving from public, anon, authenticated, service_role;
grant execute on function public.check_moving to authenticated;
