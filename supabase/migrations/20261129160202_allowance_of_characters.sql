-- An allowance of characters per person, and a bound on the earlier texts of a message.
--
-- The rate limits count requests. A guest could write 60 messages of 20,000 characters a minute, and the database
-- stored, indexed and broadcast 39 GB a day. Edits stored as much again as earlier texts.

-- Allowance --------------------------------------------------------------------------------------------

update public.settings s set value = '{
  "characters": {"per_minute": 6000, "burst": 400000},
  "draft_characters": {"per_minute": 20000, "burst": 1000000}
}'::jsonb || s.value
where s.key = 'rate_limits';

create function app.consume_characters_of(consumer uuid, limit_kind text, content text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if octet_length(content) > 100 then
    -- The check of the length refuses a longer text, with its own error.
    perform app.consume_rate_limit_of(consumer, limit_kind, least(char_length(content), 20000));
  end if;
end
$$;
comment on function app.consume_characters_of is
  'Counts the characters of a text towards a rate limit. Texts of up to 100 bytes do not count: counting one costs as much as '
  'storing it, and the limits of requests are enough for them.';

create or replace function app.require_message_body(body text, may_be_empty boolean) returns text
language plpgsql volatile set search_path = ''
as $$
begin
  -- The length first: nothing examines a longer text.
  if char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  elsif body is null or not app.is_visible(body) and not may_be_empty then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  end if;
  if auth.uid() is not null then perform app.consume_characters_of(auth.uid(), 'characters', body); end if;
  return body;
end
$$;
comment on function app.require_message_body is
  'The text of a message; fails with messages_not_empty or messages_body_length, or with rate_limited if the caller has '
  'written too much. Commands call it before they lock anything.';

create or replace function app.post_as_bot(bot uuid, channel uuid, body text, thread_root uuid default null)
returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if auth.uid() is null then perform app.consume_characters_of(bot, 'characters', body); end if;
  return app.post_as(bot, gen_random_uuid(), channel, body, thread_root);
end
$$;
comment on function app.post_as_bot is
  'Sends a message of a bot without a session, as send_message does with one; returns its id. Fails with not_a_member, '
  'archived, silenced, posting_admins, rate_limited, or in a thread with not_found or message_deleted.';

create function app.count_draft_characters() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if auth.uid() is not null then perform app.consume_characters_of(auth.uid(), 'draft_characters', new.body); end if;
  return null;
end
$$;
comment on function app.count_draft_characters is 'Counts the characters of drafts: each change stores and broadcasts the whole draft.';
create trigger draft_characters_are_counted after insert or update of body on public.drafts
  for each row execute function app.count_draft_characters();
comment on trigger draft_characters_are_counted on public.drafts is
  'An AFTER trigger: a BEFORE trigger would count an insert twice that becomes an update.';

-- Earlier texts ----------------------------------------------------------------------------------------

create function app.limit_message_revisions() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Deletes all texts beyond the bound: messages from before this migration can have many.
  delete from public.message_revisions r
  where r.message_id = new.message_id and r.rev in (
      select o.rev from public.message_revisions o where o.message_id = new.message_id order by o.rev desc offset 49)
    and r.rev <> (select min(o.rev) from public.message_revisions o where o.message_id = new.message_id);
  return null;
end
$$;
comment on function app.limit_message_revisions is
  'Stores 50 earlier texts of a message: the first one and the last 49.';
create trigger message_revisions_are_limited after insert on public.message_revisions
  for each row execute function app.limit_message_revisions();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
