insert into public.products (id, kind, name, description, price_cents, tags) values
  ('d0000000-0000-4000-8000-000000000001', 'book', 'Field guide to finches', 'Small birds and where they sing', 1500, '{birds,nature}'),
  ('d0000000-0000-4000-8000-000000000002', 'game', 'Nine men''s morris', 'For two players', 2000, '{wood}'),
  ('d0000000-0000-4000-8000-000000000003', 'garden tool', 'Trowel', 'Made of steel', 900, '{}');
insert into public.products (kind, name, price_cents, is_listed) values ('book', 'Not yet printed', 100, false);
