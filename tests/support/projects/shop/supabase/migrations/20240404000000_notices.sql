-- `private` is not exposed: only functions read and write its tables.
create function public.keep_notice(order_id bigint, text text) returns void
language sql security definer set search_path = '' as $$
  insert into private.notices (order_id, text) values (keep_notice.order_id, keep_notice.text);
$$;
revoke execute on function public.keep_notice(bigint, text) from public, anon, authenticated;
grant execute on function public.keep_notice(bigint, text) to service_role;

create function public.my_notices() returns table (order_id bigint, text text)
language sql stable security definer set search_path = '' as $$
  select n.order_id, n.text from private.notices n
  join public.orders o on o.id = n.order_id
  where o.customer = (select auth.uid());
$$;
