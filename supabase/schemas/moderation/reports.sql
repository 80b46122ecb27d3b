-- Reports of messages to those who manage the workspace, and the removal of a message with a reason. Decision 48 gives the
-- reasons.

-- Reports ----------------------------------------------------------------------------------------------

create table public.reports (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  reporter_id uuid references public.profiles (id) on delete set null,
  author_id uuid references public.profiles (id) on delete set null,
  channel_id uuid references public.channels (id) on delete set null,
  message_id uuid references public.messages (id) on delete set null,
  channel_kind text not null,
  note text not null default ''
    constraint reports_note_length check (char_length(note) <= 500)
    constraint reports_note_legible check (app.is_legible(note)),
  snapshot jsonb,
  state text not null default 'open'
    constraint reports_state_known check (state in ('open', 'in_progress', 'closed')),
  handler_id uuid references public.profiles (id) on delete set null,
  outcome text
    constraint reports_outcome_known check (outcome in ('no_action', 'message_removed', 'person_silenced', 'settled')),
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  constraint reports_closed_with_outcome check (
    (state = 'closed') = (outcome is not null) and (state = 'closed') = (closed_at is not null)),
  constraint reports_snapshot_until_closed check (state <> 'closed' or snapshot is null)
);
create index reports_queue on public.reports (workspace_id, state, created_at, id);
create unique index reports_open_once on public.reports (reporter_id, message_id) where state <> 'closed';
create index reports_reporter on public.reports (reporter_id);
create index reports_author on public.reports (author_id);
create index reports_channel on public.reports (channel_id);
create index reports_message on public.reports (message_id);
create index reports_handler on public.reports (handler_id);
comment on table public.reports is
  'Messages that were reported to those who manage the workspace. Read by list_reports. No access for clients.';
comment on column public.reports.snapshot is
  'The message as its reporter read it, which survives its deletion; erased when the report is closed.';
alter table public.reports enable row level security;
revoke all on public.reports from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.reports to service_role;

create function app.moved_message_id(message uuid) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  found_id uuid := message;
  next_id uuid;
begin
  loop
    select (m.extras #>> '{moved_to,message_id}')::uuid into next_id from public.messages m where m.id = found_id;
    if next_id is null then return found_id; end if;
    found_id := next_id;
  end loop;
end
$$;
comment on function app.moved_message_id is
  'The message to which a message was moved, however often, or itself. Ends, since each move creates a new message.';

create function app.message_snapshot(message public.messages, history_from_seq bigint, with_context boolean) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('body', message.body, 'created_at', message.created_at, 'edited_at', message.edited_at,
    'files', coalesce((
      select jsonb_agg(a.name order by a.position) from public.attachments a where a.message_id = message.id), '[]'),
    'before', case when with_context then coalesce((
      select jsonb_agg(jsonb_build_object('author_id', b.author_id, 'body', left(b.body, 2000),
        'created_at', b.created_at) order by b.created_at, b.rev)
      from (
        select m.author_id, m.body, m.created_at, m.rev from public.messages m
        where m.channel_id = message.channel_id and m.kind = 'text' and m.deleted_at is null
          and m.history_seq >= message_snapshot.history_from_seq
          and case when message.thread_root is null then m.seq < message.seq
            else m.thread_root = message.thread_root and m.thread_seq < message.thread_seq end
        order by case when message.thread_root is null then m.seq else m.thread_seq end desc limit 3) b), '[]')
    else '[]' end);
end
$$;
comment on function app.message_snapshot is
  'What a report shows of a message: its text, the names of its files, and at request the three messages before it in its '
  'channel or thread that the reporter can read.';

create function public.report_message(id uuid, message uuid, note text default '', with_context boolean default false)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_message(message);
  reported public.messages;
  earlier uuid;
begin
  if report_message.id is null or char_length(btrim(coalesce(report_message.note, ''))) > 500 then
    raise exception using errcode = 'PT400', message = 'bad_report';
  end if;
  -- Reports of one person come one after the other, and are counted.
  perform from public.profiles p where p.id = access.profile_id for no key update;
  select r.id into earlier from public.reports r
  where r.reporter_id = access.profile_id and r.state <> 'closed' and r.message_id = message;
  if earlier is not null then return jsonb_build_object('id', earlier); end if;
  if exists (select from public.reports r where r.id = report_message.id) then
    raise exception using errcode = 'PT409', message = 'conflict';
  elsif 20 <= (select count(*) from public.reports r where r.reporter_id = access.profile_id and r.state <> 'closed') then
    raise exception using errcode = 'PT409', message = 'too_many_reports';
  end if;
  -- Locked, so that the snapshot is of a text that somebody could read.
  select m.* into reported from public.messages m where m.id = message for share;
  if reported.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif reported.kind <> 'text' or reported.author_id is not distinct from access.profile_id then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  insert into public.reports (id, workspace_id, reporter_id, author_id, channel_id, message_id, channel_kind, note, snapshot)
  values (report_message.id, access.workspace_id, access.profile_id, reported.author_id, reported.channel_id, message,
    access.kind, btrim(coalesce(report_message.note, '')),
    app.message_snapshot(reported, access.history_from_seq, coalesce(with_context, false)));
  perform app.record_action(access.workspace_id, 'report.created',
    jsonb_build_object('report_id', report_message.id, 'author_id', reported.author_id));
  return jsonb_build_object('id', report_message.id);
end
$$;
comment on function public.report_message is
  'Reports a message of somebody else that the caller can read to those who manage the workspace. They see a snapshot of '
  'it, at request with the three messages before it, also of a private channel or a direct conversation. Repeated calls '
  'for one message report it once.';

create function app.report_as_json(report public.reports, readable boolean) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('id', report.id, 'state', report.state, 'created_at', report.created_at,
    'closed_at', report.closed_at, 'reporter_id', report.reporter_id, 'author_id', report.author_id,
    'handler_id', report.handler_id, 'outcome', report.outcome, 'note', report.note, 'snapshot', report.snapshot,
    'channel_kind', report.channel_kind,
    'channel_id', case when readable then report.channel_id end,
    'message_id', case when readable then report.message_id end,
    'deleted', not exists (
      select from public.messages m where m.id = app.moved_message_id(report.message_id) and m.deleted_at is null))
$$;
comment on function app.report_as_json is
  'A report as those who manage the workspace see it. Channel and message are named to those who can read them; '
  '`deleted`: whether the message is no longer there.';

create function app.require_report(report uuid) returns public.reports
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
  found_report public.reports;
begin
  select r.* into found_report from public.reports r
  where r.id = report and r.author_id is distinct from me
    and r.workspace_id in (select app.my_managed_workspace_ids())
  for update of r;
  if found_report.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif found_report.state = 'closed' then
    raise exception using errcode = 'PT409', message = 'report_closed';
  end if;
  return found_report;
end
$$;
comment on function app.require_report is
  'A report that is not closed, locked, for those who manage its workspace. Nobody handles a report of a message of their '
  'own: it is not_found.';

create function public.list_reports(
  workspace uuid, state text default 'open', before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  size constant integer := least(greatest(coalesce(list_reports."limit", 20), 1), 50);
  created_before timestamptz := 'infinity';
  id_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  listed public.reports[];
  last public.reports;
begin
  if list_reports.state is null or list_reports.state not in ('open', 'in_progress', 'closed') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    created_before := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    id_before := split_part(before, ' ', 2)::uuid;
  end if;
  listed := array(
    select r from public.reports r
    where r.workspace_id = workspace and r.state = list_reports.state and r.author_id is distinct from me
      and (r.created_at, r.id) < (created_before, id_before)
    order by r.created_at desc, r.id desc limit size + 1);
  last := listed[size];
  return jsonb_build_object(
    'reports', coalesce((
      select jsonb_agg(app.report_as_json(r, c.channel_id is not null) order by r.created_at desc, r.id desc)
      from unnest(listed[1:size]) r
      left join app.my_readable_channels() c on c.channel_id = r.channel_id), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.id end);
end
$$;
comment on function public.list_reports is
  'Reports in one state, newest first, for owners and admins; without those of their own messages.';

create function public.take_report(report uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  taken public.reports := app.require_report(report);
  me constant uuid := app.my_profile_id();
begin
  if taken.handler_id is distinct from me then
    update public.reports r set state = 'in_progress', handler_id = me where r.id = report returning * into taken;
    perform app.record_action(taken.workspace_id, 'report.taken',
      jsonb_build_object('report_id', report, 'author_id', taken.author_id));
  end if;
  return app.report_as_json(taken, app.can_read_channel(taken.channel_id));
end
$$;
comment on function public.take_report is 'Assigns a report to the caller, also from somebody else.';

create function public.close_report(report uuid, outcome text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  closed public.reports := app.require_report(report);
  me constant uuid := app.my_profile_id();
begin
  if close_report.outcome is null
    or close_report.outcome not in ('no_action', 'message_removed', 'person_silenced', 'settled')
  then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.reports r
  set state = 'closed', outcome = close_report.outcome, closed_at = now(), snapshot = null, handler_id = me
  where r.id = report returning * into closed;
  perform app.record_action(closed.workspace_id, 'report.closed', jsonb_build_object('report_id', report,
    'author_id', closed.author_id, 'outcome', closed.outcome));
  return app.report_as_json(closed, app.can_read_channel(closed.channel_id));
end
$$;
comment on function public.close_report is 'Closes a report with its outcome, and erases its snapshot.';

create function app.notify_report() returns trigger
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
create trigger reports_are_broadcast after insert or update of state on public.reports
  for each row execute function app.notify_report();
comment on trigger reports_are_broadcast on public.reports is 'Also when another admin takes or closes it.';

-- Removal ----------------------------------------------------------------------------------------------

create function public.remove_message(reason text, message uuid default null, report uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  why constant text := app.require_reason(remove_message.reason);
  access app.channel_access;
  reported public.reports;
  target uuid;
  before public.messages;
begin
  if report is not null then
    reported := app.require_report(report);
    target := app.moved_message_id(reported.message_id);
  else
    access := app.require_message(message);
    perform app.require_role(access.workspace_id, 'owner', 'admin');
    -- Of a conversation that others trust to be private, only what one of them has reported.
    if access.kind not in ('public', 'private') then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
    target := message;
  end if;
  perform app.start_deletion_of_files(target);
  before := app.lock_message(target);
  if before.id is null or before.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif before.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if exists (
    select from public.workspace_members w
    where w.workspace_id = coalesce(reported.workspace_id, access.workspace_id) and w.profile_id = before.author_id)
  then
    perform app.require_rank_above(coalesce(reported.workspace_id, access.workspace_id), before.author_id);
  end if;
  perform app.erase_message(before, jsonb_build_object('removed', jsonb_build_object('reason', why)));
  perform app.record_action(coalesce(reported.workspace_id, access.workspace_id), 'message.removed',
    case when access.kind is not null then
      jsonb_build_object('channel_id', before.channel_id, 'kind', access.kind, 'message_id', before.id) else '{}' end
    || jsonb_strip_nulls(jsonb_build_object('profile_id', before.author_id, 'report_id', report)), why);
  return jsonb_build_object('removed', me is not null);
end
$$;
comment on function public.remove_message is
  'Removes a message of somebody below the caller, who owns or administers the workspace: in channels that they can read, '
  'elsewhere only what a report that is not closed shows. Everyone who can read the conversation sees the reason in its '
  'place.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.report_message, public.list_reports, public.take_report, public.close_report,
  public.remove_message from public, anon, authenticated, service_role;
grant execute on function public.report_message, public.list_reports, public.take_report, public.close_report,
  public.remove_message to authenticated;
