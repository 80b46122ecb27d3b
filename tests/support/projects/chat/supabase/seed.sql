-- Sign-ups by SQL, as a helper that many projects keep in their seed.
create function pg_temp.create_user(user_id uuid, email text) returns void language plpgsql as $$
begin
  insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
    raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
    confirmation_token, recovery_token, email_change_token_new, email_change)
  values ('00000000-0000-0000-0000-000000000000', user_id, 'authenticated', 'authenticated', email,
    extensions.crypt('let-me-in', extensions.gen_salt('bf', 4)), now(),
    '{"provider": "email", "providers": ["email"]}', '{}', now(), now(), '', '', '', '');
  insert into auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
  values (gen_random_uuid(), user_id, user_id, jsonb_build_object('sub', user_id, 'email', email), 'email', now(), now(), now());
end;
$$;

select pg_temp.create_user('11111111-1111-4111-8111-111111111111', 'ida@example.com');
select pg_temp.create_user('22222222-2222-4222-8222-222222222222', 'jon@example.com');
select pg_temp.create_user('33333333-3333-4333-8333-333333333333', 'kim@example.com');

insert into public.rooms (slug, created_by) values
  ('general', '11111111-1111-4111-8111-111111111111'),
  ('quiet', '33333333-3333-4333-8333-333333333333');

insert into public.room_members (room_id, user_id, role)
select rooms.id, users.id, case when users.id = rooms.created_by then 'owner' else 'member' end::public.room_role
from public.rooms, public.users
where (slug = 'general' and username in ('ida', 'jon')) or (slug = 'quiet' and username = 'kim');

insert into public.messages (room_id, user_id, body)
select id, created_by, 'Welcome to ' || slug from public.rooms;
