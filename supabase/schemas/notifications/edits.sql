-- Who is notified after an edit, and events for people who have not read a message that is edited, deleted or moved. Decision 77
-- gives the reasons.
--
-- An edit notifies people of a mention or a keyword that no earlier version of the message had, as long as they have not read
-- the message. It also withdraws the unread counts and notifications that the earlier version caused.

-- Edits ------------------------------------------------------------------------------------------------

create function app.edit_recipients(
  message uuid, since timestamptz, push_people uuid[] default '{}', people uuid[] default null
) returns table (profile_id uuid, decision text, is_mentioned boolean)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  edited public.messages;
  earlier text;
  earlier_marks text[];
  words text;
  earlier_words text;
begin
  select m.* into edited from public.messages m where m.id = message;
  select coalesce(string_agg(r.body, E'\n'), '') into earlier from (
    select r.body from public.message_revisions r
    where r.message_id = message and r.written_at < since order by r.written_at desc limit 10) r;
  earlier_marks := app.mention_marks(earlier);
  words := app.fold_phrase(edited.body);
  earlier_words := app.fold_phrase(earlier);
  return query
    select n.* from (
      select r.profile_id, r.decision, exists (
        select from public.mentions n
        where n.message_id = message and app.concerns_person(n, r.profile_id)
          and case n.kind when 'person' then '<@' || n.profile_id || '>' when 'group' then '<@&' || n.group_id || '>'
            else '<!' || n.kind || '>' end <> all (earlier_marks)) as is_mentioned
      from app.notification_recipients(message, push_people, people) r) n
    where n.is_mentioned or exists (
      select from public.channels c
      join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = n.profile_id
      cross join unnest(f.keyword_patterns) k
      where c.id = edited.channel_id and strpos(words, k) > 0
        and strpos(earlier_words, k) = 0);
end
$$;
comment on function app.edit_recipients is
  'The people of app.notification_recipients to whom an edit has added something since a time: the message mentions them '
  '(`is_mentioned`) or has one of their keywords, and none of its ten latest versions from before that time did. All other '
  'reasons to notify were reasons of the new message.';

-- Events -----------------------------------------------------------------------------------------------

create function app.present_unread_readers(message public.messages) returns table (profile_id uuid, seen_at timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select r.profile_id, h.seen_at
    from public.channel_members r
    join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '150 seconds'
      and (h.left_at > h.seen_at) is not true
    left join public.channel_member_state s on s.channel_id = r.channel_id and s.profile_id = r.profile_id
    left join public.thread_members t on t.root_id = message.thread_root and t.profile_id = r.profile_id
    where r.channel_id = message.channel_id and r.profile_id <> message.author_id
      and app.can_open_workspace(r.profile_id, r.workspace_id)
      and r.history_from_seq <= message.history_seq and (r.expires_at is null or r.expires_at > now())
      and (message.seq > coalesce(s.last_read_seq, 0)
        or (t.follows and message.thread_seq > t.last_read_thread_seq));
end
$$;
comment on function app.present_unread_readers is
  'The members of a channel who have a page open, may read a message, and have not read it in the channel or in a thread that '
  'they follow.';

create function app.notify_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  old_words constant text := app.fold_phrase(old.body);
  new_words constant text := app.fold_phrase(new.body);
  -- The mentions that only one of the two texts has.
  named constant uuid[] := array(
    select t.id from unnest(app.mentioned_profile_ids(old.body) || app.mentioned_profile_ids(new.body)) t (id)
    group by t.id having count(*) = 1);
  grouped constant uuid[] := array(
    select t.id from unnest(app.mentioned_group_ids(old.body) || app.mentioned_group_ids(new.body)) t (id)
    group by t.id having count(*) = 1);
  old_marks constant text[] := app.mention_marks(old.body);
  new_marks constant text[] := app.mention_marks(new.body);
  everyone constant boolean := ('<!channel>' = any (old_marks)) <> ('<!channel>' = any (new_marks))
    or ('<!here>' = any (old_marks)) <> ('<!here>' = any (new_marks));
  people constant uuid[] := array(
    select r.profile_id from app.present_unread_readers(new) r
    where everyone or r.profile_id = any (named)
      or exists (select from public.user_group_members g where g.profile_id = r.profile_id and g.group_id = any (grouped))
      or exists (
        select from public.channels c
        join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
        cross join unnest(f.keyword_patterns) k
        where c.id = new.channel_id
          and (strpos(old_words, k) > 0) <> (strpos(new_words, k) > 0))
    order by r.seen_at desc limit 100);
begin
  if people = '{}' then return null; end if;
  perform app.notify_user(p.id, 'message_edited', jsonb_build_object('channel_id', new.channel_id,
    'message_id', new.id, 'rev', new.rev, 'notifies', coalesce(r.decision <> 'badge', false)))
  from unnest(people) p (id)
  left join app.notification_recipients(new.id, '{}', people) r on r.profile_id = p.id;
  return null;
end
$$;
comment on function app.notify_edit is
  'Sends an event to people for whom an edit added or removed a mention or a keyword: their unread counts differ, and a '
  'notification that they see may be wrong. `notifies`: whether the message still notifies them. It is sent to people who are '
  'present and have not read the message, at most to the hundred who were present last.';
create constraint trigger edits_are_announced after update of body on public.messages
  deferrable initially deferred for each row
  when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and (new.extras -> 'moved') is null)
  execute function app.notify_edit();
comment on trigger edits_are_announced on public.messages is 'Deferred, since the mentions are stored after the text.';

create function app.notify_message_deleted(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Retention deletes many messages, of which no notification is left.
  if message.kind <> 'text' or message.created_at < now() - interval '1 day' then return; end if;
  perform app.notify_user(r.profile_id, 'message_deleted', jsonb_build_object(
    'channel_id', message.channel_id, 'message_id', message.id))
  from (
    select p.profile_id from app.present_unread_readers(message) p order by p.seen_at desc limit 100) r;
end
$$;
comment on function app.notify_message_deleted is
  'Sends an event to people who have not read a message of the last day when it is deleted. They count it, and a page that has '
  'not loaded it may have notified them. It is sent to people who are present, at most to the hundred who were present last.';

create function app.notify_message_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_message_deleted(new);
  return null;
end
$$;
comment on function app.notify_message_moved is
  'For people who have not read a moved message, the message is deleted in the source channel.';
create trigger moved_messages_are_announced after update of deleted_at on public.messages
  for each row when (old.deleted_at is null and new.deleted_at is not null and (new.extras -> 'moved_to') is not null)
  execute function app.notify_message_moved();
