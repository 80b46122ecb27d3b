-- Carts that were left are given up.
create function private.expire_carts() returns void language sql set search_path = '' as $$
  update public.orders set status = 'expired' where status = 'cart' and created_at < now() - interval '1 day';
$$;
select cron.schedule('expire-carts', '1 second', 'select private.expire_carts()');
select cron.schedule('refresh-best-sellers', '0 3 * * *', 'refresh materialized view private.best_sellers');

-- Each placed order calls a function, with the secret and the URL from the vault.
create function private.tell_of_order() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform net.http_post(
    url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/order-placed',
    headers := jsonb_build_object(
      'Content-Type', 'application/json',
      'X-Shop-Secret', (select decrypted_secret from vault.decrypted_secrets where name = 'shop_secret')
    ),
    body := jsonb_build_object('order_id', new.id, 'status', new.status)
  );
  return new;
end;
$$;
create trigger tell_of_order after insert on public.orders
  for each row when (new.status = 'placed') execute function private.tell_of_order();

-- And the older way, as the dashboard makes them.
create trigger "stock-changed" after update on inventory.stock
  for each row execute function supabase_functions.http_request(
    'http://host.docker.internal:54321/functions/v1/hello', 'POST',
    '{"Content-type":"application/json"}', '{"from":"stock"}', '5000'
  );
