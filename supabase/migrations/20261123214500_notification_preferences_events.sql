-- Devices of a person learn that their notification preferences have changed.

create function app.notify_notification_preferences() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.notification_preferences := case when tg_op = 'DELETE' then old else new end;
begin
  perform app.notify_user(changed.profile_id, 'notification_preferences',
    jsonb_build_object('workspace_id', changed.workspace_id));
  return null;
end
$$;
comment on function app.notify_notification_preferences is
  'Sends the devices of a person that their preferences of a workspace have changed. Pages that use them fetch the row '
  'again: without a number, the order of two events would not show which of them is the later.';
create trigger notification_preferences_are_broadcast after insert or update or delete
  on public.notification_preferences for each row execute function app.notify_notification_preferences();

revoke execute on all functions in schema app from public;
