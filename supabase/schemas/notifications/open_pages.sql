-- Whether a page of a person is open, which then notifies them itself. Decision 77 gives the reasons.
--
-- A heartbeat proves that a page was open at that time. A page reports when it is closed (close_page). A page that cannot report
-- it, such as the page of a closed laptop, counts as open for 90 seconds, and its reader is not notified by other means during
-- this time. So pushes are decided again afterwards, and mails are decided when they are due.

create function app.has_open_page(person uuid, state text default null) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return exists (
    select from public.heartbeats h
    where h.profile_id = person and h.seen_at > now() - interval '90 seconds'
      and (h.left_at > h.seen_at) is not true and h.state = coalesce(has_open_page.state, h.state));
end
$$;
comment on function app.has_open_page is
  'Whether a page of a person counts as open. If `state` is given (`active` or `away`), the page must have this state.';

create function public.close_page() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  update public.heartbeats h set left_at = clock_timestamp() where h.profile_id = me;
  return null;
end
$$;
comment on function public.close_page is
  'Reports that the caller has closed the last page of a browser. Until the next heartbeat, the server no longer leaves '
  'notifications to open pages. The time of the last heartbeat stays, since it shows when the person was last present.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.close_page from public, anon, authenticated, service_role;
grant execute on function public.close_page to authenticated;
