-- Signing in on a phone with the QR code that a signed-in device displays.

-- Codes ------------------------------------------------------------------------------------------------

create table public.device_sign_ins (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null constraint device_sign_ins_once unique references auth.users (id) on delete cascade,
  session_id uuid not null,
  code_hash text not null constraint device_sign_ins_code_once unique,
  claim_hash text constraint device_sign_ins_claim_once unique,
  number smallint constraint device_sign_ins_number_two_digits check (number between 10 and 99),
  device text
    constraint device_sign_ins_device_length check (char_length(device) <= 300)
    constraint device_sign_ins_device_legible check (app.is_legible(device)),
  approved boolean not null default false,
  expires_at timestamptz not null default now() + interval '2 minutes',
  constraint device_sign_ins_claimed_whole
    check ((claim_hash is null) = (number is null) and (claim_hash is null) = (device is null)),
  constraint device_sign_ins_approved_claimed check (not approved or claim_hash is not null)
);
comment on table public.device_sign_ins is
  'The one code by which each account may sign another device in, until the device has done so: at most two minutes. Read '
  'by functions only. No access for clients.';
comment on column public.device_sign_ins.session_id is 'The session that displays the code; the sign-in ends with it.';
comment on column public.device_sign_ins.code_hash is 'The hash (app.hash_token) of what the QR code contains.';
comment on column public.device_sign_ins.claim_hash is
  'The hash of the token that the first device with the code was given; null: there was none yet.';
comment on column public.device_sign_ins.number is
  'Displayed by both devices: whoever approves sees that the device is the one in their hand.';
comment on column public.device_sign_ins.device is 'The user agent of the device, as it states itself.';
comment on column public.device_sign_ins.approved is 'Whether the session that displays the code has approved the device.';
alter table public.device_sign_ins enable row level security;
revoke all on public.device_sign_ins from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.device_sign_ins to service_role;

create function public.create_sign_in_code() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  code constant text := app.random_token();
  made public.device_sign_ins;
begin
  perform app.require_own_session();
  if not exists (select from auth.users u where u.id = auth.uid() and u.email is not null) then
    raise exception using errcode = 'PT409', message = 'email_address_missing';
  end if;
  delete from public.device_sign_ins d where d.user_id = auth.uid();
  insert into public.device_sign_ins (user_id, session_id, code_hash)
  values (auth.uid(), (auth.jwt() ->> 'session_id')::uuid, app.hash_token(code))
  returning * into made;
  return jsonb_build_object('id', made.id, 'code', code, 'expires_at', made.expires_at);
end
$$;
comment on function public.create_sign_in_code is
  'A code that signs another device in to the caller''s account once the caller approves the device. It replaces the one '
  'before. Fails with email_address_missing for accounts without an address.';

create function app.require_sign_in_code(id uuid) returns public.device_sign_ins
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_row public.device_sign_ins;
begin
  perform app.require_own_session();
  select d.* into found_row from public.device_sign_ins d
  where d.id = require_sign_in_code.id and d.user_id = auth.uid()
    and d.session_id = (auth.jwt() ->> 'session_id')::uuid and d.expires_at > now()
  for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'sign_in_code_expired';
  end if;
  return found_row;
end
$$;
comment on function app.require_sign_in_code is
  'A code that the caller''s session displays, locked. Fails with sign_in_code_expired, also for codes of others.';

create function public.view_sign_in_code(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  of constant public.device_sign_ins := app.require_sign_in_code(view_sign_in_code.id);
begin
  return jsonb_build_object('number', of.number, 'device', of.device);
end
$$;
comment on function public.view_sign_in_code is
  'The device that has used a code of the caller''s session, and the number that it displays; null: none has yet.';

create function public.approve_device(id uuid, number integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  of constant public.device_sign_ins := app.require_sign_in_code(approve_device.id);
begin
  if of.number is distinct from approve_device.number then
    raise exception using errcode = 'PT404', message = 'sign_in_code_expired';
  end if;
  update public.device_sign_ins d set approved = true where d.id = of.id;
  return jsonb_build_object('id', of.id);
end
$$;
comment on function public.approve_device is
  'Lets the device that displays this number sign in to the caller''s account.';

create function public.refuse_device(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.require_own_session();
  delete from public.device_sign_ins d where d.id = refuse_device.id and d.user_id = auth.uid();
  return jsonb_build_object('id', refuse_device.id);
end
$$;
comment on function public.refuse_device is 'Ends a code of the caller, if it has not ended yet.';

create function public.claim_sign_in(code text, device text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claim constant text := app.random_token();
  -- No number that could be guessed from the one before: 90 of them are enough to recognise, not to authorise.
  shown constant integer := 10 + (('x' || substr(app.hash_token(app.random_token()), 1, 7))::bit(28)::integer % 90);
begin
  update public.device_sign_ins d
  set claim_hash = app.hash_token(claim), number = shown, device = left(coalesce(claim_sign_in.device, ''), 300)
  where d.code_hash = app.hash_token(claim_sign_in.code) and d.claim_hash is null and d.expires_at > now();
  if not found then
    raise exception using errcode = 'PT404', message = 'sign_in_code_expired';
  end if;
  return jsonb_build_object('claim', claim, 'number', shown);
end
$$;
comment on function public.claim_sign_in is
  'Gives the first device with a code the token to sign in with, and the number to display. For the function '
  'device-sign-in.';

create function public.take_sign_in(claim text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  found_row public.device_sign_ins;
begin
  delete from public.device_sign_ins d
  where d.claim_hash = app.hash_token(take_sign_in.claim) and d.approved and d.expires_at > now()
  returning * into found_row;
  if found and exists (select from auth.sessions s where s.id = found_row.session_id and s.user_id = found_row.user_id) then
    return jsonb_build_object('email', (select u.email from auth.users u where u.id = found_row.user_id));
  elsif found_row.id is null and exists (
    select from public.device_sign_ins d
    where d.claim_hash = app.hash_token(take_sign_in.claim) and d.expires_at > now()
  ) then
    return jsonb_build_object('email', null);
  end if;
  raise exception using errcode = 'PT404', message = 'sign_in_code_expired';
end
$$;
comment on function public.take_sign_in is
  'The address of the account to which a device with this token was let in, once; null while nobody has approved it. For '
  'the function device-sign-in.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_sign_in_code, public.view_sign_in_code, public.approve_device,
  public.refuse_device, public.claim_sign_in, public.take_sign_in from public, anon, authenticated, service_role;
grant execute on function public.create_sign_in_code, public.view_sign_in_code, public.approve_device,
  public.refuse_device to authenticated;
grant execute on function public.claim_sign_in, public.take_sign_in to service_role;
