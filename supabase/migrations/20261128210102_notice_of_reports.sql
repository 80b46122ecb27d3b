-- The author of a reported message receives nothing about its report, also if they manage the workspace.

create or replace function app.notify_report() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_user(m.profile_id, 'reports', jsonb_build_object('workspace_id', new.workspace_id))
  from public.workspace_members m
  where m.workspace_id = new.workspace_id and m.role in ('owner', 'admin') and app.is_active_member(m)
    and m.profile_id is distinct from new.author_id;
  return null;
end
$$;
comment on function app.notify_report is
  'Notifies those who manage the workspace of a changed report, except the author of the message; they fetch it, with '
  'their own rights.';
