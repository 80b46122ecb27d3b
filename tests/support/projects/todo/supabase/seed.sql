-- Two people who can sign in with "password123", as copied from many a tutorial.
INSERT INTO auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
    recovery_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
    created_at, updated_at, confirmation_token, email_change, email_change_token_new, recovery_token
) VALUES
(
    '00000000-0000-0000-0000-000000000000',
    'a1111111-1111-4111-8111-111111111111',
    'authenticated', 'authenticated', 'mia@example.com',
    crypt('password123', gen_salt('bf')),
    current_timestamp, current_timestamp, current_timestamp,
    '{"provider":"email","providers":["email"]}', '{"full_name":"Mia"}',
    current_timestamp, current_timestamp, '', '', '', ''
),
(
    '00000000-0000-0000-0000-000000000000',
    'b2222222-2222-4222-8222-222222222222',
    'authenticated', 'authenticated', 'noah@example.com',
    crypt('password123', gen_salt('bf')),
    current_timestamp, current_timestamp, current_timestamp,
    '{"provider":"email","providers":["email"]}', '{"full_name":"Noah"}',
    current_timestamp, current_timestamp, '', '', '', ''
);

INSERT INTO auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
SELECT uuid_generate_v4(), id, id::text, format('{"sub":"%s","email":"%s"}', id::text, email)::jsonb, 'email',
       current_timestamp, current_timestamp, current_timestamp
FROM auth.users;

INSERT INTO public.todos (user_id, task, is_complete, due) VALUES
('a1111111-1111-4111-8111-111111111111', 'Water the plants', false, '2024-03-01'),
('a1111111-1111-4111-8111-111111111111', 'Return the library books', true, null),
('b2222222-2222-4222-8222-222222222222', 'Call the plumber', false, null);
