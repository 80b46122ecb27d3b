-- Sign-up by an invitation link without its token: the token stood in the metadata of the account, and so in every
-- access token and in what OAuth clients learn of a person. The link's bearer now names an address here first; the
-- sign-up hook looks for the address.

create table public.sign_up_requests (
  invitation_id uuid not null references public.invitations (id) on delete cascade,
  email text not null constraint sign_up_requests_email_plain
    check (email = lower(btrim(email)) and char_length(email) <= 320 and email like '_%@_%'),
  requested_at timestamptz not null default now(),
  primary key (invitation_id, email)
);
create index sign_up_requests_email on public.sign_up_requests (email);
create index sign_up_requests_age on public.sign_up_requests (requested_at);
comment on table public.sign_up_requests is
  'Addresses for which the bearer of an invitation link requested an account, for an hour; at most 100 for each invitation.';

alter table public.sign_up_requests enable row level security;
revoke all on public.sign_up_requests from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.sign_up_requests to service_role;

create function app.require_entry(token text) returns public.invitations
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.invitations;
begin
  if not exists (
    select from public.settings s where s.key = 'setup_token' and s.value = to_jsonb(app.hash_token(token))
  ) then
    invitation := app.require_invitation(token);
    if invitation.uses >= invitation.max_uses then
      raise exception using errcode = 'PT410', message = 'invitation_used';
    end if;
  end if;
  return invitation;
end
$$;
comment on function app.require_entry is
  'The live invitation of a token, null for the set-up token; fails with what is wrong with it.';

create function public.request_sign_up(token text, email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  address constant text := lower(btrim(request_sign_up.email));
  invitation public.invitations;
begin
  if address is null or address !~ '^[^@[:space:]]+@[^@[:space:]]+$' or char_length(address) > 320 then
    raise exception using errcode = 'PT400', message = 'email_address_invalid';
  end if;
  invitation := app.require_entry(token);
  if invitation.email <> address then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  -- Before there is a workspace the hook admits everyone.
  if invitation.id is not null then
    delete from public.sign_up_requests r where r.requested_at <= now() - interval '1 hour';
    insert into public.sign_up_requests (invitation_id, email) values (invitation.id, address)
    on conflict (invitation_id, email) do update set requested_at = now();
    delete from public.sign_up_requests r where r.invitation_id = invitation.id and r.email in (
      select o.email from public.sign_up_requests o where o.invitation_id = invitation.id
      order by o.requested_at desc, o.email = address desc offset 100);
  end if;
  return jsonb_build_object('expires_at', now() + interval '1 hour');
end
$$;
comment on function public.request_sign_up is
  'Permits an account for an address within the next hour, for the bearer of an invitation''s token or the set-up token.';

create or replace function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := lower(btrim(event -> 'user' ->> 'email'));
  metadata constant jsonb := event -> 'user' -> 'user_metadata';
  inviter constant text := metadata ->> 'invited_by';
  workspace_name constant text := metadata ->> 'workspace_name';
begin
  if (inviter is null and workspace_name is null and not exists (select from public.workspaces)) or exists (
    select from public.invitations i
    join public.profiles p on p.id = i.invited_by
    join public.workspaces w on w.id = i.workspace_id
    where (i.email = address or (i.email is null and exists (
        select from public.sign_up_requests r
        where r.email = address and r.invitation_id = i.id and r.requested_at > now() - interval '1 hour')))
      and app.may_invite(i.invited_by, i.workspace_id, i.role)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
      and coalesce(inviter, p.name) = p.name and coalesce(workspace_name, w.name) = w.name
  ) then
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;

revoke execute on function public.request_sign_up from public, anon, authenticated, service_role;
grant execute on function public.request_sign_up to anon, authenticated;
revoke execute on function app.require_entry from public;

-- Tokens that accounts were made with until now.
update auth.users set raw_user_meta_data = raw_user_meta_data - 'invitation' - 'setup'
where raw_user_meta_data ?| array['invitation', 'setup'];
update auth.identities set identity_data = identity_data - 'invitation' - 'setup'
where provider = 'email' and identity_data ?| array['invitation', 'setup'];
