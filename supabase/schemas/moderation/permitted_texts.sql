-- What a person may post: links by members only, nothing to people whom they have blocked, and slow mode. The checks apply to
-- messages, edits, and texts that a bot posts for a person. Decision 48 gives the reasons.

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
  select c.kind, c.slow_seconds, w.guest_links, m.role, p.kind as author_kind
  into sender
  from public.channels c
  join public.workspaces w on w.id = c.workspace_id
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = author
  join public.profiles p on p.id = m.profile_id
  where c.id = channel;
  if sender.author_kind is distinct from 'person' then return; end if;
  if not sender.guest_links and sender.role = 'guest' and app.has_link(body) then
    raise exception using errcode = 'PT403', message = 'links_by_members';
  end if;
  if not is_new then return; end if;
  if sender.kind = 'direct' and channel = any (app.blocked_directs(author)) then
    raise exception using errcode = 'PT403', message = 'person_blocked';
  end if;
  if sender.slow_seconds > 0 then perform app.take_slow_mode_turn(author, channel); end if;
end
$$;
comment on function app.require_permitted_text is
  'Refuses links of guests where only members post them, and of new texts those to people whom their author has blocked, '
  'and a second one within the interval of slow mode. Needs the lock of the channel, so that of two at once one waits.';

create function app.check_edited_text() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_importing() then return new; end if;
  perform app.require_permitted_text(new.author_id, new.channel_id, new.body, false);
  return new;
end
$$;
comment on function app.check_edited_text is 'Fails as app.require_permitted_text does.';
create trigger edited_texts_are_checked before update of body on public.messages
  for each row when (new.body <> old.body and new.deleted_at is null and new.author_id is not null)
  execute function app.check_edited_text();
comment on trigger edited_texts_are_checked on public.messages is 'A link cannot be added later.';

create function public.set_guest_links(workspace uuid, allowed boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  if me is null or allowed is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  update public.workspaces w set guest_links = allowed where w.id = workspace and w.guest_links <> allowed;
  return jsonb_build_object('guest_links', allowed);
end
$$;
comment on function public.set_guest_links is 'Sets whether guests may send messages with links, for owners and admins.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_guest_links from public, anon, authenticated, service_role;
grant execute on function public.set_guest_links to authenticated;
