insert into inventory.stock (product_id, quantity)
select id, case kind when 'book' then 3 when 'game' then 1 else 0 end from public.products where is_listed;
