create view public.product_list with (security_invoker = true) as
  select p.id, p.kind, p.name, p.gross_cents, coalesce(s.quantity, 0) > 0 as in_stock
  from public.products p
  left join inventory.stock s on s.product_id = p.id;

create view public.order_totals with (security_invoker = true) as
  select o.id, o.status, count(l.*) as lines, coalesce(sum(l.total_cents), 0) as total_cents
  from public.orders o
  left join public.order_lines l on l.order_id = o.id
  group by o.id;

create materialized view private.best_sellers as
  select product_id, sum(quantity) as sold from public.order_lines group by product_id;

-- A computed column.
create function public.gross_price(public.products) returns public.money_amount
language sql stable set search_path = '' as $$
  select ($1.gross_cents / 100.0, 'EUR')::public.money_amount;
$$;

create function public.search_products(words text) returns setof public.products
language sql stable set search_path = public, extensions as $$
  select * from products
  where products.words @@ websearch_to_tsquery('english', search_products.words)
     or similarity(name::text, search_products.words) > 0.3
  order by similarity(name::text, search_products.words) desc;
$$;

-- In one transaction: reduces the stock and places the order.
create function public.place_order(lines jsonb) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  placed bigint;
  missing text;
begin
  if auth.uid() is null then
    raise exception 'Sign in to order' using errcode = '42501';
  end if;
  insert into public.orders (customer, status, placed_at) values (auth.uid(), 'placed', now()) returning id into placed;
  insert into public.order_lines (order_id, product_id, quantity, price_cents)
  select placed, p.id, (line ->> 'quantity')::integer, p.gross_cents
  from jsonb_array_elements(place_order.lines) line
  join public.products p on p.id = (line ->> 'product')::uuid;
  update inventory.stock s set quantity = s.quantity - l.quantity
  from public.order_lines l where l.order_id = placed and l.product_id = s.product_id;
  return placed;
exception when check_violation then
  raise exception 'Not enough in stock' using errcode = 'P0001', hint = 'Order fewer.';
end;
$$;
revoke execute on function public.place_order(jsonb) from public, anon;
grant execute on function public.place_order(jsonb) to authenticated, service_role;
