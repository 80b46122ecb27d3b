-- Nothing decrypts a secret or sends a notification while a channel is locked.
--
-- Triggers called functions for each new message: a call reads two secrets of Vault, which takes milliseconds, and a delivery
-- of a webhook a third one. On the embedded server, pg_net wakes its worker by NOTIFY, and commits with a NOTIFY follow each
-- other in the whole database. All senders to the channel waited meanwhile. Now the triggers add jobs only, and commands call
-- functions before they lock anything. A function still runs after the commit, because pg_net and the embedded server read
-- calls when they are committed.

-- Calls ------------------------------------------------------------------------------------------------

create function app.try_task(task text, body jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.call_task(task, body);
exception
  when syntax_error_or_access_rule_violation or invalid_schema_name or raise_exception or object_not_in_prerequisite_state then
    raise warning 'The function % was not called: %', task, sqlerrm;
end
$$;
comment on function app.try_task is
  'As app.call_task, but the transaction does not fail if pg_net is missing or does not accept the request: a job of pg_cron '
  'calls the function for due work, too.';

create function app.call_tasks_of_text(
  channel uuid, body text, files jsonb default '[]', former_body text default null
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (select from public.push_subscriptions) then
    -- A sender that leaves the call of `push` to an earlier message must not be missed by that call. So it locks this key
    -- before it reads the jobs. app.claim_pushes tries to lock it exclusively, which fails while this transaction has not
    -- committed, and then has the function called once more.
    perform pg_advisory_xact_lock_shared(hashtextextended('queue_push', 0));
    if not exists (
      select from public.jobs j
      where j.kind = 'push_message' and j.failed_at is null and j.run_at <= now()
        and j.created_at > now() - interval '2 seconds')
    then
      perform app.try_task('push', '{"wait_ms": 100}');
    end if;
  end if;
  -- A link that an edit removes loses its preview, also if previews are switched off.
  if former_body ~ '://|www\.' or (body ~ '://|www\.' and app.fetches_link_previews(channel)) then
    perform app.try_task('link-previews');
  end if;
  if former_body is null
    and exists (select from public.outgoing_webhooks h where h.channel_id = channel and h.disabled_at is null)
  then
    perform app.try_task('outgoing-webhooks');
  end if;
  if files <> '[]' and exists (
    select from jsonb_array_elements(files) f
    join storage.objects o on o.bucket_id = 'files' and o.name = app.file_path(channel, f)
    where app.is_file_indexed(o.metadata ->> 'mimetype', (o.metadata ->> 'size')::bigint))
  then
    perform app.try_task('file-texts');
  end if;
end
$$;
comment on function app.call_tasks_of_text is
  'Calls the functions for the jobs that triggers are going to add for a new or edited message: notifications, previews, '
  'deliveries of webhooks, texts of files. Commands call it before they lock the channel, because a call reads secrets. If no '
  'job follows, the functions find nothing to do. `former_body`: the text that an edit replaces.';

-- Jobs -------------------------------------------------------------------------------------------------

create or replace function app.queue_push() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not exists (select from public.push_subscriptions) then return null; end if;
  perform app.add_job('push_message', new.channel_id, jsonb_build_object('message_id', new.id)
    || case when tg_op = 'UPDATE' then jsonb_build_object('edited_at', new.edited_at) else '{}' end);
  return null;
end
$$;
comment on function app.queue_push is
  'Adds one job for a new or edited message, however many people it notifies. The recipients are determined when it is claimed.';

create or replace function app.queue_link_previews() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    -- The job of the earlier text. Deleted under the lock of the message, which begin_link_previews takes first.
    delete from public.jobs j where j.owner_id = new.id and j.kind = 'link_preview';
    if new.deleted_at is not null then
      if new.extras ? 'moved_to' then
        update public.message_previews p set message_id = (new.extras #>> '{moved_to,message_id}')::uuid
        where p.message_id = new.id;
      else
        delete from public.message_previews p where p.message_id = new.id;
      end if;
      return null;
    end if;
  end if;
  -- Switched off, a link that is taken out of a text still loses its preview.
  if not app.fetches_link_previews(new.channel_id) and not coalesce(new.extras ? 'previews', false) then
    return null;
  end if;
  perform app.add_job('link_preview', new.id, '{}');
  return null;
end
$$;
comment on function app.queue_link_previews is
  'Adds a job for the links of a text, whose owner is the message. What belongs to a deleted message is deleted; what belongs '
  'to one that was moved goes with it.';

create or replace function app.queue_file_text() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (
      select from public.file_texts t
      where t.upload_id = new.upload_id and t.upload_channel_id = new.upload_channel_id)
    or exists (select from public.jobs j where j.owner_id = new.upload_id and j.kind = 'index_file')
  then
    return null;
  end if;
  perform app.add_job('index_file', new.upload_id, jsonb_build_object('channel_id', new.upload_channel_id));
  return null;
end
$$;
comment on function app.queue_file_text is
  'Adds a job that reads the text of an attached file, whose owner is the upload.';

create or replace function app.queue_webhook_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  beginning constant text := left(ltrim(new.body, E' \t\r\n'), 300);
  first_word text;
  folded text;
begin
  if not exists (select from public.outgoing_webhooks h where h.channel_id = new.channel_id) then return null; end if;
  -- Two bots could answer each other forever.
  if exists (select from public.profiles p where p.id = new.author_id and p.kind = 'bot') then return null; end if;
  first_word := app.fold_text(substring(beginning from '^\S{1,100}'));
  -- A mention is no word, and the word after it is not the first one.
  folded := case when beginning like '<%' then '' else app.fold_phrase(beginning) end;
  for webhook in
    select h.* from public.outgoing_webhooks h
    where h.channel_id = new.channel_id and h.disabled_at is null
      and (cardinality(h.words) = 0 or app.has_trigger_word(first_word, folded, h.words))
  loop
    if 1000 <= (select count(*) from (
      select from public.jobs j where j.owner_id = webhook.id and j.failed_at is null limit 1000) waiting)
    then
      update public.outgoing_webhooks h set disabled_at = now(), problem = 'Too many deliveries were waiting.'
      where h.id = webhook.id;
      continue;
    end if;
    perform app.add_job('webhook', webhook.id, jsonb_build_object('message_id', new.id));
  end loop;
  return null;
end
$$;
comment on function app.queue_webhook_deliveries is
  'Adds a delivery of a new message for each webhook of its channel. Messages of bots are not delivered.';

create function public.deliver_webhooks() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.run_webhook_deliveries();
  return '{}';
end
$$;
comment on function public.deliver_webhooks is
  'For service_role: starts the deliveries of webhooks that are due, as the job of pg_cron does every minute.';

create or replace function app.request_file_deletion() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Files of messages are deleted while their channel is locked, so commands have called the function before.
  if exists (select from added a where a.bucket_id <> 'files') then perform app.try_task('delete-files'); end if;
  return null;
end
$$;
comment on function app.request_file_deletion is
  'Calls the function delete-files as soon as an avatar, an icon, an emoji or a preview is queued.';

create or replace function app.queue_unscheduled_files() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.file_deletion_queue (bucket_id, name)
  select 'files', p.path
  from jsonb_array_elements(old.files) f
  cross join lateral (
    select app.file_path(old.channel_id, f, part) from unnest(array['file', 'thumb']) part) p (path)
  where (tg_op = 'DELETE' or not new.files @> jsonb_build_array(f))
    -- It was sent, or the same upload is used by another message.
    and not exists (select from public.attachments a where a.upload_id = (f ->> 'id')::uuid)
    and not app.is_scheduled_file(p.path)
  on conflict do nothing;
  if found then perform app.try_task('delete-files'); end if;
  return null;
end
$$;

create or replace function public.claim_pushes(max_jobs integer default 200) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  pushes jsonb := '[]';
  found_group record;
  device public.push_subscriptions;
  content jsonb;
  has_claimed boolean := false;
  is_alone boolean;
  -- Decrypting it takes milliseconds.
  secret constant text := app.read_secret('linnet_task_secret');
begin
  for job in select c.* from app.claim_jobs('push_message', 20) c loop
    has_claimed := true;
    begin
      perform app.add_device_pushes(job);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_job(job.id, sqlerrm, 3);
    end;
  end loop;
  for found_group in
    with claimed as materialized (select c.* from app.claim_jobs('push', least(max_jobs, 500)) c),
    groups as materialized (
      select c.owner_id, c.payload ->> 'tag' as tag, array_agg(c.id) as jobs,
        array_agg((c.payload ->> 'message_id')::uuid) as messages, bool_or(c.payload ? 'short') as is_short,
        max(c.payload ->> 'reminder_id')::uuid as reminder_id
      from claimed c group by 1, 2),
    live as materialized (
      select l.id, l as device
      from app.live_push_subscriptions(array(
        select p.profile_id from public.push_subscriptions p join groups g on g.owner_id = p.id)) l)
    select g.*, l.device from groups g left join live l on l.id = g.owner_id
  loop
    has_claimed := true;
    device := found_group.device;
    content := case when device.id is null then null
      when found_group.tag is null then '{"kind": "test", "urgent": true}'
      when found_group.reminder_id is not null then app.reminder_push_content(device, found_group.reminder_id)
      else app.push_content(device, found_group.messages) end;
    if content is null then
      delete from public.jobs j where j.id = any (found_group.jobs);
      continue;
    end if;
    pushes := pushes || jsonb_build_array(jsonb_build_object(
      'jobs', to_jsonb(found_group.jobs), 'subscription', device.id, 'short', found_group.is_short,
      'endpoint', device.endpoint, 'p256dh', device.p256dh, 'auth', device.auth,
      'content', app.shown_content(device, content) || jsonb_build_object('tag', coalesce(found_group.tag, 'test'),
        'language', device.language, 'token', app.push_token(device.id, secret))));
  end loop;
  -- Before due jobs are read, since an author who has not committed may rely on this call; see call_tasks_of_text.
  is_alone := pg_try_advisory_xact_lock(hashtextextended('queue_push', 0));
  if has_claimed and exists (
    select from public.jobs j
    where j.kind in ('push', 'push_message') and j.failed_at is null and j.run_at <= now())
  then
    -- Another call sends the rest at the same time.
    perform app.call_task('push');
  elsif not is_alone then
    perform app.call_task('push', '{"wait_ms": 100}');
  end if;
  return jsonb_build_object('pushes', pushes);
end
$$;

create or replace function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Only those older than a day: app.checked_files accepts uploads until then.
  perform app.queue_unreferenced_objects('files');
  perform app.queue_unreferenced_objects('avatars');
  if exists (select from public.file_deletion_queue) then perform app.try_task('delete-files'); end if;
  -- Invitations that can no longer be used, with their e-mail addresses. Only after a month, so that the bearer of a
  -- link learns why it no longer works.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  delete from public.rate_limits r where r.full_at < now();
  delete from public.jobs j where j.failed_at < now() - interval '7 days';
  -- pg_cron stores runs forever; pg_net deletes its responses itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
end
$$;

-- Commands ---------------------------------------------------------------------------------------------

create or replace function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]', extras jsonb default null, drafts uuid[] default null,
  on_web boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access app.channel_access := app.require_reader(channel);
  files constant jsonb := coalesce(send_message.attachments, '[]');
  requested constant jsonb := nullif(send_message.extras, 'null');
  checked jsonb;
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  search_words tsvector;
  locked record;
  sent public.messages;
  message_json jsonb;
begin
  if send_message.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif jsonb_typeof(files) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  elsif jsonb_array_length(files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  perform app.require_message_body(send_message.body,
    jsonb_array_length(files) > 0 or coalesce(requested ? 'forward', false));
  perform app.require_extras_shape(requested);
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.index_text(app.searchable_text(coalesce(send_message.body, ''), requested));
  perform app.call_tasks_of_text(channel, send_message.body, files);

  locked := app.lock_new_message(send_message.id, channel, access.profile_id, send_message.thread_root);
  if locked.is_sent then
    return app.message_response(send_message.id, access.profile_id) || jsonb_build_object('epoch', locked.epoch);
  end if;

  -- Checked again under the lock, which removing a member takes as well: nothing is sent after the removal.
  access := app.require_participant(channel);
  perform app.require_posting(access, send_message.thread_root, locked.root, to_channel);
  if send_message.on_web = false
    and exists (select from public.channels c where c.id = channel and c.web_since is not null)
  then
    raise exception using errcode = 'PT409', message = 'channel_on_web';
  end if;
  if requested is not null then checked := app.check_extras(requested, files); end if;
  sent := app.insert_message(access, send_message.id, channel, send_message.body, search_words, locked.root, to_channel,
    checked, case when files = '[]' then files else app.checked_files(channel, files) end);
  if cardinality(send_message.drafts) > 0 then
    perform app.clear_draft(access.profile_id, channel, sent.thread_root, sent.id, send_message.drafts[1:20]);
  end if;
  -- app.notify_message has set it, to the JSON of the message that it broadcast last.
  message_json := nullif(current_setting('app.new_message', true), '')::jsonb;
  if message_json ->> 'id' is distinct from sent.id::text then
    message_json := app.messages_as_json(array[sent.id], access.profile_id) -> 0;
  end if;
  return jsonb_build_object('message', message_json, 'epoch', locked.epoch);
end
$$;

create or replace function app.post_as(
  author uuid, id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  quote uuid default null, files jsonb default '[]'
) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Before any lock, as in send_message.
  search_words constant tsvector := app.index_text(app.require_message_body(body, jsonb_array_length(files) > 0));
  to_channel constant boolean := post_as.thread_root is null or also_to_channel;
  access app.channel_access;
  locked record;
  quoted record;
  sent public.messages;
begin
  perform app.call_tasks_of_text(channel, post_as.body, files);
  locked := app.lock_new_message(post_as.id, channel, author, post_as.thread_root);
  if locked.is_sent then return post_as.id; end if;
  access := app.require_writer(author, channel);
  perform app.require_posting(access, post_as.thread_root, locked.root, to_channel);
  if quote is not null then
    select m.deleted_at into quoted
    from public.messages m cross join lateral app.channel_access_of_person(author, m.channel_id) a
    where m.id = quote and m.history_seq >= a.history_from_seq;
    if not found then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif quoted.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  if files <> '[]' and exists (
    select from jsonb_array_elements(files) f
    where not exists (select from storage.objects o where o.bucket_id = 'files' and o.name = app.file_path(channel, f))
      or exists (select from public.file_deletion_queue q where q.bucket_id = 'files' and q.name = app.file_path(channel, f)))
  then
    raise exception using errcode = 'PT409', message = 'attachments_missing';
  end if;
  sent := app.insert_message(access, post_as.id, channel, post_as.body, search_words, locked.root, to_channel,
    case when quote is not null then jsonb_build_object('quote', jsonb_build_object('message_id', quote)) end, files);
  return sent.id;
end
$$;

create or replace function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(edit_message.id);
  -- Before any lock. The length is checked before the text is split, which takes time in proportion to it.
  search_words constant tsvector := app.index_text(app.searchable_text(
    app.require_message_body(edit_message.body,
      exists (select from public.attachments a where a.message_id = edit_message.id)
        or exists (select from public.messages m where m.id = edit_message.id and m.extras ? 'forward')),
    (select m.extras from public.messages m where m.id = edit_message.id)));
  before public.messages;
  after public.messages;
  mentioned uuid[];
begin
  select * into before from public.messages m where m.id = edit_message.id;
  if before.author_id = access.profile_id and edit_message.body <> before.body then
    perform app.call_tasks_of_text(before.channel_id, edit_message.body, former_body => before.body);
  end if;
  before := app.lock_message(edit_message.id);
  if before.author_id <> access.profile_id or before.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif before.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if edit_message.edit is not null then
    insert into public.message_edits (message_id, edit) values (before.id, edit_message.edit) on conflict do nothing;
    if not found then return app.message_response(before.id, access.profile_id); end if;
  end if;
  if edit_message.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = search_words where s.message_id = before.id;
    perform app.redact_broadcasts(before);
    -- Checked again under the lock, as in lock_live_message.
    perform app.lock_channels(array[before.channel_id]);
    perform app.require_live_message(before.id);
    update public.messages m
    set body = edit_message.body, edited_at = clock_timestamp(), broadcast_at = now(),
      rev = app.next_rev(before.channel_id)
    where m.id = before.id returning * into after;
    delete from public.mentions n
    where n.message_id = before.id and n.kind = 'person'
      and n.profile_id <> all (app.mentioned_profile_ids(after.body));
    delete from public.mentions n
    where n.message_id = before.id and strpos(after.body,
      case n.kind when 'person' then after.body when 'group' then '<@&' || n.group_id || '>' else '<!' || n.kind || '>' end) = 0;
    mentioned := app.record_mentions(after);
    if after.thread_root is not null and cardinality(mentioned) > 0 then
      perform app.follow_mentioned(after, h, mentioned) from public.messages h where h.id = after.thread_root;
    end if;
  end if;
  return app.message_response(before.id, access.profile_id);
end
$$;

create function app.call_deletion_of_files(message uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (select from public.attachments a where a.message_id = message) then perform app.try_task('delete-files'); end if;
end
$$;
comment on function app.call_deletion_of_files is
  'Calls the function delete-files if a message that is going to be deleted has files. Commands call it before they lock the message.';

create or replace function public.delete_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_message(delete_message.id);
  before public.messages;
begin
  perform app.call_deletion_of_files(delete_message.id);
  before := app.lock_message(delete_message.id);
  -- System messages contain names and topics; those who manage the channel may delete them.
  if before.author_id <> access.profile_id and not app.may_delete_messages_of_others(access)
    or before.kind <> 'text' and not app.can_manage_channel(access)
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if before.deleted_at is null then perform app.erase_message(before, null); end if;
  return app.message_response(before.id, access.profile_id);
end
$$;

create or replace function public.remove_message(reason text, message uuid default null, report uuid default null) returns jsonb
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
  perform app.call_deletion_of_files(target);
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

create or replace function public.post_by_webhook(token text, body text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook public.incoming_webhooks;
begin
  select h.* into webhook from public.incoming_webhooks h where h.token_hash = app.hash_token(token);
  if webhook.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform app.consume_rate_limit_of(webhook.id, 'webhook', 1);
  update public.incoming_webhooks h set used_at = now()
  -- Without waiting for another message of this webhook, which stores the same.
  where h.id = (
    select o.id from public.incoming_webhooks o
    where o.id = webhook.id and (o.used_at is null or o.used_at < now() - interval '1 minute')
    for no key update skip locked);
  return jsonb_build_object('message_id', app.post_as_bot(webhook.bot_id, webhook.channel_id, body));
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.deliver_webhooks from public, anon, authenticated, service_role;
grant execute on function public.deliver_webhooks to service_role;
