select vault.create_secret('http://api.supabase.internal:8000', 'project_url', 'where functions are called');
select vault.create_secret('a-secret-of-the-shop', 'shop_secret');
insert into public.orders (customer, created_at)
values ('c3333333-3333-4333-8333-333333333333', now() - interval '2 days');
