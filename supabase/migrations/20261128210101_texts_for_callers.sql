-- Slow mode and "links by members only" apply to what a bot posts for a person too, and to links in every spelling that
-- is shown as one.

create function app.has_link(body text) returns boolean
language sql immutable set search_path = ''
as $$
  -- Clients ignore backslashes and tabs in `<https\:…>`, and need no slashes after the colon.
  select translate(body, E'\\\t', '') ~* '(https?:|www\.)[^[:space:]]|\]\([a-z]+:'
$$;
comment on function app.has_link is 'Whether clients may show a part of a text as a link.';

create function app.require_permitted_text(author uuid, channel uuid, body text, is_new boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sender record;
begin
  select c.kind, c.slow_seconds, w.guest_links, m.role, p.kind as author_kind, r.role as channel_role
  into sender
  from public.channels c
  join public.workspaces w on w.id = c.workspace_id
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = author
  join public.profiles p on p.id = m.profile_id
  left join public.channel_members r on r.channel_id = c.id and r.profile_id = m.profile_id
  where c.id = channel;
  if sender.author_kind is distinct from 'person' then return; end if;
  if not sender.guest_links and sender.role = 'guest' and app.has_link(body) then
    raise exception using errcode = 'PT403', message = 'links_by_members';
  end if;
  if not is_new then return; end if;
  if sender.kind = 'direct' and channel = any (app.blocked_directs(author)) then
    raise exception using errcode = 'PT403', message = 'person_blocked';
  end if;
  if sender.slow_seconds > 0 and sender.role not in ('owner', 'admin') and sender.channel_role is distinct from 'admin' then
    insert into public.slow_mode_messages as s (channel_id, profile_id, sent_at)
    values (channel, author, clock_timestamp())
    on conflict (channel_id, profile_id) do update set sent_at = excluded.sent_at
    where s.sent_at <= clock_timestamp() - make_interval(secs => sender.slow_seconds);
    if not found then
      raise exception using errcode = 'PT403', message = 'slow_mode';
    end if;
  end if;
end
$$;
comment on function app.require_permitted_text is
  'Refuses links of guests where only members post them, and of new texts those to people whom their author has blocked, '
  'and a second one within the interval of slow mode. Needs the lock of the channel, so that of two at once one waits.';

create or replace function app.check_new_text() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.require_permitted_text(new.author_id, new.channel_id, new.body, tg_op = 'INSERT');
  return new;
end
$$;
comment on function app.check_new_text is 'Fails as app.require_permitted_text does.';

create or replace function app.show_response(
  invocation public.command_invocations, body text, in_channel boolean, replaces boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  command public.bot_commands;
  root public.messages;
begin
  select k.* into command from public.bot_commands k where k.id = invocation.command_id;
  -- Neither a bot that was removed nor a caller who was gets anything any more.
  if not exists (
      select from public.bots b cross join lateral app.channel_access_of_person(b.profile_id, invocation.channel_id) a
      where b.profile_id = command.bot_id and b.token_expires_at > now() and a.member)
    or not exists (
      select from app.channel_access_of_person(invocation.profile_id, invocation.channel_id) a where a.member)
  then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if in_channel and body is not null then
    perform app.post_as_bot(command.bot_id, invocation.channel_id, body, invocation.thread_root);
    -- Nobody posts through a bot what they may not write themselves. Checked under the locks of the message.
    select m.* into root from public.messages m where m.id = invocation.thread_root;
    perform app.require_posting(app.require_writer(invocation.profile_id, invocation.channel_id),
      invocation.thread_root, root, invocation.thread_root is null);
    perform app.require_permitted_text(invocation.profile_id, invocation.channel_id, body, true);
  end if;
  if replaces then
    delete from public.command_responses r where r.invocation_id = invocation.id and r.state <> 'pending';
  end if;
  if in_channel or body is null then
    delete from public.command_responses r where r.id = invocation.id and r.state <> 'shown';
    return;
  end if;
  update public.command_responses r
  set state = 'shown', body = show_response.body, problem = null, rev = nextval('app.command_response_revs')
  where r.id = invocation.id and r.state <> 'shown';
  if not found then
    perform app.add_command_response(gen_random_uuid(), invocation, command, 'shown', body);
  end if;
end
$$;
comment on function app.show_response is
  'Posts a response into the channel or thread of its invocation, if the caller may write it there too, or shows it to the '
  'caller. Without a body it only ends the pending state. `replaces`: what the caller saw before is removed. Fails with '
  'not_a_member, and as post_as_bot and require_permitted_text.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
